import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.JedisPooled;

/**
 * An API behind tokens: Tomcat, a HikariCP pool before MariaDB, tokens in redis.
 *
 * <pre>
 * java Service --port 8080 --db 127.0.0.1:3306 --redis 127.0.0.1:6379
 *     [--expiry aligned|staggered] [--life 12000] [--live 64] [--garbage 64] [--base FOLDER]
 * POST /login   JSON {"user", "password"} -> {"token", "lasts_s"}
 * GET  /orders  Bearer                    -> the user's newest orders (JSON); 401 without a good token
 * GET  /health                            -> "ok", 503 until it has warmed up
 * </pre>
 *
 * life: of a token, in ms; live: MB that stay on the heap; garbage: kB that a request allocates.
 */
public final class Service {
    private static final int THREADS = 64;
    private static final int CONNECTIONS = 16;
    private static final int WARM_LOGINS = 40;
    private static final int WARM_REQUESTS = 2_000;

    private Service() {}

    public static void main(String[] args) throws Exception {
        var given = new HashMap<String, String>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            given.put(args[i].substring(2), args[i + 1]);
        }
        var database = database(given);
        var redis = redis(given);
        // Where one of them is missing this ends here, before the port is open.
        database.getConnection().close();
        redis.exists("token:none");
        var memory = new Memory(number(given, "live", 64) << 20, number(given, "garbage", 64) << 10);
        var expiry = Tokens.Expiry.valueOf(given.getOrDefault("expiry", "aligned").toUpperCase(Locale.ROOT));
        var tokens = new Tokens(database, redis, expiry, number(given, "life", 12_000));

        String base = Path.of(given.getOrDefault("base", ".")).toAbsolutePath().toString();
        var tomcat = new Tomcat();
        tomcat.setBaseDir(base);
        var connector = new Connector();
        connector.setPort(Integer.parseInt(given.get("port")));
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", Integer.toString(THREADS));
        // By default a connection is closed after 100 requests; this lab is not about connections.
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        var context = tomcat.addContext("", base);
        Tomcat.addServlet(context, "login", new Pages.Login(tokens));
        context.addServletMappingDecoded("/login", "login");
        Tomcat.addServlet(context, "orders", new Pages.Orders(tokens, database, memory));
        context.addServletMappingDecoded("/orders", "orders");
        var health = new Pages.Health();
        Tomcat.addServlet(context, "health", health);
        context.addServletMappingDecoded("/health", "health");
        tomcat.start();
        warmUp(tokens, given.get("port"));
        health.isWarm = true;
        tomcat.getServer().await();
    }

    /**
     * What is hot under load is compiled before /health says "ok". Otherwise the first logins and requests,
     * interpreted, take the whole core for many seconds, and that would be the storm that everybody sees.
     */
    private static void warmUp(Tokens tokens, String port) throws Exception {
        String token = "";
        for (int i = 0; i < WARM_LOGINS; i++) {
            token = tokens.issue("user1", "practice").token();
        }
        var orders = new URL("http://127.0.0.1:" + port + "/orders");
        for (int i = 0; i < WARM_REQUESTS; i++) {
            var request = (HttpURLConnection) orders.openConnection();
            request.setRequestProperty("Authorization", "Bearer " + token);
            if (request.getResponseCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
                token = tokens.issue("user1", "practice").token(); // it has expired meanwhile
                continue;
            }
            try (var answer = request.getInputStream()) {
                answer.readAllBytes();
            }
        }
    }

    private static HikariDataSource database(Map<String, String> given) {
        var config = new HikariConfig();
        config.setPoolName("OrdersPool");
        config.setJdbcUrl("jdbc:mariadb://" + given.get("db") + "/shop?sslMode=disable");
        config.setUsername("shop");
        config.setPassword(System.getenv().getOrDefault("SHOP_PASSWORD", ""));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(CONNECTIONS);
        config.setRegisterMbeans(true);
        return new HikariDataSource(config);
    }

    private static JedisPooled redis(Map<String, String> given) {
        String[] address = given.get("redis").split(":");
        var config = new ConnectionPoolConfig();
        config.setMaxTotal(THREADS);
        config.setMaxIdle(THREADS);
        return new JedisPooled(config, address[0], Integer.parseInt(address[1]));
    }

    private static long number(Map<String, String> given, String name, long otherwise) {
        return given.containsKey(name) ? Long.parseLong(given.get(name)) : otherwise;
    }
}
