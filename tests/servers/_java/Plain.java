import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** A server of the JDK alone: java Plain PORT THREADS. Paths: see Work.serve. */
public final class Plain {
    private Plain() {}

    public static void main(String[] args) throws IOException {
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]));
        var server = HttpServer.create(address, 128);
        server.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(args[1])));
        server.createContext("/", exchange -> {
            boolean known = true;
            try {
                var uri = exchange.getRequestURI();
                known = Work.serve(uri.getPath(), uri.getQuery());
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            byte[] body = (known ? "ok\n" : "no such path\n").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(known ? 200 : 404, body.length);
            try (var out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
    }
}
