// Package publish holds the tests of whole launches whose server has ports that the host reaches. The server and the
// host's client are this test binary; all is on the loopback.
package publish
