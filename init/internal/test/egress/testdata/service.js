// A service of gRPC that says what it hears, with the bytes as they are.
const same = b => b;
module.exports = { say: { path: "/echo.Echo/Say", requestStream: false, responseStream: false,
	requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same } };
