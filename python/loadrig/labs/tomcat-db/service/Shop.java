import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.AccessLogValve;

/**
 * An embedded Tomcat with a HikariCP pool before a MariaDB, with the knobs of the investigation by their names:
 *
 * <pre>
 * java Shop --port 8080 --db 127.0.0.1:3306 [--base FOLDER] [--maxThreads 100] [--pool 15]
 *     [--keepAliveTimeout 60000] [--maxKeepAliveRequests 100] [--requestLog true]
 * </pre>
 *
 * GET /stock?shop=N asks the database; GET /health does not.
 */
public final class Shop {
    private Shop() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> given = options(args);
        var pool = pool(given);
        // Where there is no database this ends here, before the port is open.
        pool.getConnection().close();

        String base = Path.of(given.getOrDefault("base", ".")).toAbsolutePath().toString();
        var tomcat = new Tomcat();
        tomcat.setBaseDir(base);
        tomcat.setConnector(connector(given));
        var context = tomcat.addContext("", base);
        Tomcat.addServlet(context, "stock", new Stock(pool));
        context.addServletMappingDecoded("/stock", "stock");
        Tomcat.addServlet(context, "health", new Health());
        context.addServletMappingDecoded("/health", "health");
        if (Boolean.parseBoolean(given.get("requestLog"))) {
            context.getPipeline().addValve(requestLog(base));
        }
        tomcat.start();
        tomcat.getServer().await();
    }

    private static HikariDataSource pool(Map<String, String> given) {
        int size = Integer.parseInt(given.getOrDefault("pool", "15"));
        var config = new HikariConfig();
        config.setPoolName("StockPool");
        config.setJdbcUrl("jdbc:mariadb://" + given.get("db") + "/shop?sslMode=disable");
        config.setUsername("shop");
        config.setPassword(System.getenv().getOrDefault("SHOP_PASSWORD", ""));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setRegisterMbeans(true);
        return new HikariDataSource(config);
    }

    private static Connector connector(Map<String, String> given) {
        var connector = new Connector();
        connector.setPort(Integer.parseInt(given.get("port")));
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", given.getOrDefault("maxThreads", "100"));
        connector.setProperty("keepAliveTimeout", given.getOrDefault("keepAliveTimeout", "60000"));
        connector.setProperty("maxKeepAliveRequests", given.getOrDefault("maxKeepAliveRequests", "100"));
        return connector;
    }

    private static AccessLogValve requestLog(String base) {
        var log = new AccessLogValve();
        log.setDirectory(Path.of(base, "logs").toString());
        log.setPrefix("access");
        log.setPattern("common");
        return log;
    }

    private static Map<String, String> options(String[] args) {
        var given = new HashMap<String, String>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            given.put(args[i].substring(2), args[i + 1]);
        }
        return given;
    }

    private static final class Health extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().println("ok");
        }
    }
}
