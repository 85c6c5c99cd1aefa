import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/**
 * A store: embedded Tomcat, a HikariCP pool, MariaDB. Its numbers are in a file: java Store SETTINGS
 *
 * GET /item/N looks N up; GET /list takes twenty; POST /login hashes, and gives a token.
 */
public final class Store {
    private static final Object shared = new Object();
    private static final Properties dials = new Properties();
    private static Object[] live;
    private static volatile long sink;

    private Store() {}

    public static void main(String[] args) throws Exception {
        try (var file = new FileReader(args[0])) {
            dials.load(file);
        }
        live = new Object[number("live_mb") * 16_384];
        for (int i = 0; i < live.length; i++) {
            live[i] = new Object[] {new int[4], i > 0 ? live[i / 2] : null};
        }
        var config = new HikariConfig();
        config.setPoolName("StorePool");
        config.setJdbcUrl("jdbc:mariadb://127.0.0.1:" + dials.getProperty("db_port") + "/shop");
        config.setUsername(dials.getProperty("user"));
        config.setPassword(dials.getProperty("password"));
        config.setMaximumPoolSize(number("pool"));
        config.setRegisterMbeans(true);
        var pool = new HikariDataSource(config);

        var tomcat = new Tomcat();
        tomcat.setBaseDir(dials.getProperty("base"));
        var connector = new Connector();
        connector.setPort(number("port"));
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", dials.getProperty("threads"));
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        var context = tomcat.addContext("", new File(dials.getProperty("base")).getAbsolutePath());
        Tomcat.addServlet(context, "store", new Servlet(pool));
        context.addServletMappingDecoded("/", "store");
        tomcat.start();
        System.out.println("listening on " + connector.getLocalPort());
        tomcat.getServer().await();
    }

    private static int number(String name) {
        return Integer.parseInt(dials.getProperty(name));
    }

    private static void work(int rounds) {
        long x = 88172645463325252L;
        for (int i = 0; i < rounds; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void allocate(int kb) {
        for (int i = 0; i < kb; i++) {
            var block = new byte[1000];
            block[i % 1000] = 1;
            sink += block.length;
        }
        if (live.length > 0) {
            // A few of what lives long are replaced, so that the old generation is never clean.
            for (int i = 0; i < number("replaced"); i++) {
                int place = ThreadLocalRandom.current().nextInt(live.length);
                live[place] = new Object[] {new int[4], live[place / 2 == place ? 0 : place / 2] == null ? null : new int[2]};
            }
        }
    }

    private static final class Servlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient HikariDataSource pool;

        Servlet(HikariDataSource pool) {
            this.pool = pool;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                String path = request.getRequestURI();
                boolean isItem = path.startsWith("/item/");
                int wanted = isItem ? Integer.parseInt(path.substring(6)) : 1;
                try (var connection = pool.getConnection()) {
                    query(connection, wanted, isItem);
                    Thread.sleep(number("hold_ms"));
                }
                if (isItem && number("lock_ms") > 0) {
                    synchronized (shared) {
                        Thread.sleep(number("lock_ms"));
                    }
                }
                Thread.sleep(number("io_ms"));
                allocate(number("allocate_kb"));
                work(number("rounds"));
                response.setContentType("application/json");
                response.getWriter().write("{\"id\": " + wanted + "}\n");
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            } catch (SQLException refused) {
                response.sendError(503, refused.getMessage());
            }
        }

        private static void query(Connection connection, int wanted, boolean isItem)
                throws SQLException, InterruptedException {
            if (isItem && number("hot_ms") > 0) {
                connection.setAutoCommit(false);
                try (var statement = connection.createStatement()) {
                    statement.executeUpdate("UPDATE counters SET n = n + 1 WHERE id = 1");
                    Thread.sleep(number("hot_ms"));
                    connection.commit();
                } finally {
                    connection.setAutoCommit(true);
                }
            }
            int items = number("items");
            String sql = "SELECT id, name, price FROM items WHERE " + dials.getProperty("where") + " = ?";
            for (int i = 0; i < (isItem ? number("queries") : 1); i++) {
                try (var statement = connection.prepareStatement(sql)) {
                    statement.setInt(1, (wanted + i) % items + 1);
                    try (var rows = statement.executeQuery()) {
                        while (rows.next()) {
                            sink += rows.getInt(1);
                        }
                    }
                }
            }
            if (isItem && number("sums") > 0) {
                try (var statement = connection.createStatement()) {
                    statement.execute("SELECT BENCHMARK(" + number("sums") + ", SHA1('walnut'))");
                }
            }
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                var spec = new PBEKeySpec("lovelace".toCharArray(), "salt".getBytes(), number("login_rounds"), 128);
                SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec);
            } catch (java.security.GeneralSecurityException absent) {
                throw new IOException(absent);
            }
            response.setContentType("application/json");
            response.getWriter().write("{\"token\": \"t" + System.nanoTime() + "\"}\n");
        }
    }
}
