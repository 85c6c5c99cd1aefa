import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/** A shop on the server of the JDK, with MariaDB: it reads settings.properties in its folder. */
public final class Shop {
    private static final Properties DIALS = new Properties();
    private static final Object LEDGER = new Object();
    private static final List<byte[]> KEPT = new ArrayList<>();
    private static byte[][] live;
    private static BlockingQueue<Connection> pool;

    private static int dial(String name) {
        return Integer.parseInt(DIALS.getProperty(name));
    }

    public static void main(String[] words) throws Exception {
        try (var file = Files.newBufferedReader(Path.of("settings.properties"))) {
            DIALS.load(file);
        }
        System.setProperty("sun.net.httpserver.nodelay", dial("nagle") == 1 ? "false" : "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "2000");
        live = new byte[dial("live_mb") * 64][];
        for (int i = 0; i < live.length; i++) {
            live[i] = new byte[16 * 1024];
        }
        pool = new ArrayBlockingQueue<>(Math.max(1, dial("pool")));
        for (int i = 0; i < dial("pool"); i++) {
            pool.add(connect());
        }
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", dial("port")), dial("backlog"));
        server.createContext("/orders", Shop::answer);
        server.setExecutor(Executors.newFixedThreadPool(dial("threads")));
        server.start();
    }

    private static Connection connect() throws Exception {
        return DriverManager.getConnection(
                DIALS.getProperty("database"), DIALS.getProperty("user"), DIALS.getProperty("password"));
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String body;
        int status = 200;
        try {
            String path = exchange.getRequestURI().getPath();
            body = path.length() > 8 ? order(Integer.parseInt(path.substring(8))) : several();
        } catch (Exception failure) {
            body = failure.toString();
            status = 503;
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        var out = exchange.getResponseBody();
        if (dial("nagle") == 1) {
            out.flush();
        }
        out.write(bytes);
        out.close();
    }

    private static String several() {
        return "[" + "{\"id\": 1, \"name\": \"lamp\"},".repeat(19) + "{\"id\": 20}]";
    }

    private static String order(int number) throws Exception {
        String name = "lamp " + number;
        if (dial("pool") > 0) {
            Connection connection = pool.take();
            try {
                name = find(connection, number);
                if (dial("hold_ms") > 0) {
                    Thread.sleep(dial("hold_ms"));
                }
            } finally {
                pool.add(connection);
            }
        }
        if (dial("wait_ms") > 0) {
            Thread.sleep(dial("wait_ms"));
        }
        if (dial("lock_ms") > 0) {
            synchronized (LEDGER) {
                Thread.sleep(dial("lock_ms"));
            }
        }
        byte[][] page = new byte[dial("allocate_kb")][];
        for (int i = 0; i < page.length; i++) {
            page[i] = new byte[1024];
        }
        for (int i = 0; i < dial("replaced") && live.length > 0; i++) {
            live[ThreadLocalRandom.current().nextInt(live.length)] = new byte[16 * 1024];
        }
        if (dial("kept_bytes") > 0) {
            synchronized (KEPT) {
                KEPT.add(new byte[dial("kept_bytes")]);
            }
        }
        long sum = page.length;
        for (int i = 0; i < dial("work"); i++) {
            sum = sum * 6364136223846793005L + 1442695040888963407L;
        }
        return "{\"id\": " + number + ", \"name\": \"" + name + "\", \"sum\": " + sum + "}";
    }

    private static String find(Connection connection, int number) throws Exception {
        String name = "";
        if (dial("hot_ms") > 0) {
            connection.setAutoCommit(false);
            try (var update = connection.prepareStatement("UPDATE stock SET n = n + 1 WHERE id = 1")) {
                update.executeUpdate();
                Thread.sleep(dial("hot_ms"));
            } finally {
                connection.commit();
                connection.setAutoCommit(true);
            }
        }
        String text = "SELECT name FROM orders WHERE " + DIALS.getProperty("column") + " = ?";
        for (int step = 0; step < dial("queries"); step++) {
            try (PreparedStatement query = connection.prepareStatement(text)) {
                query.setInt(1, (number + step) % dial("orders") + 1);
                try (ResultSet rows = query.executeQuery()) {
                    name = rows.next() ? rows.getString(1) : "";
                }
            }
        }
        if (dial("write") == 1) {
            try (var insert = connection.prepareStatement("INSERT INTO visits (item) VALUES (?)")) {
                insert.setInt(1, number);
                insert.executeUpdate();
            }
        }
        return name;
    }
}
