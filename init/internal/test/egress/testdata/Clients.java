import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Reaches each of its targets, HOST:PORT, by HTTP of its own choice of version, and writes a line about each. */
public class Clients {
	public static void main(String[] args) throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null);
		try (FileInputStream in = new FileInputStream(args[0])) {
			store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
		}
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		HttpClient client = HttpClient.newBuilder().sslContext(context).connectTimeout(Duration.ofSeconds(20)).build();
		for (int i = 1; i < args.length; i++) {
			HttpRequest request = HttpRequest.newBuilder(URI.create("https://" + args[i] + "/x")).build();
			try {
				System.out.println("OK " + client.send(request, HttpResponse.BodyHandlers.ofString()).body().trim());
			} catch (java.io.IOException e) {
				Throwable cause = e;
				while (cause.getCause() != null) {
					cause = cause.getCause();
				}
				System.out.println("ERR " + e + " " + cause);
			}
		}
	}
}
