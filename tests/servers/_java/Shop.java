import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.sql.SQLException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.modeler.Registry;

/**
 * An embedded Tomcat with a HikariCP pool, as Spring Boot would build it:
 * java -Dport=… -Dbase=FOLDER [-Dthreads=200] [-Dpool=10] [-Djdbc=URL] [-Duser=…] [-Dmbeans=true] Shop
 * Paths: see Work.serve, and /query?ms=N, which holds a connection of the pool for N ms.
 * The password of the database is read from the environment variable SHOP_PASSWORD.
 */
public final class Shop {
    private Shop() {}

    public static void main(String[] args) throws Exception {
        boolean mbeans = Boolean.parseBoolean(System.getProperty("mbeans", "true"));
        if (!mbeans) {
            Registry.disableRegistry(); // as Spring Boot does without server.tomcat.mbeanregistry.enabled
        }
        var config = new HikariConfig();
        config.setPoolName("ShopPool");
        config.setJdbcUrl(System.getProperty("jdbc", "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1"));
        config.setUsername(System.getProperty("user", "sa"));
        config.setPassword(System.getenv().getOrDefault("SHOP_PASSWORD", ""));
        config.setMaximumPoolSize(Integer.getInteger("pool", 10));
        config.setRegisterMbeans(mbeans);
        var pool = new HikariDataSource(config);

        var tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("base"));
        var connector = new Connector();
        connector.setPort(Integer.getInteger("port"));
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", System.getProperty("threads", "200"));
        tomcat.setConnector(connector);
        var context = tomcat.addContext("", new File(System.getProperty("base")).getAbsolutePath());
        Tomcat.addServlet(context, "shop", new Servlet(pool));
        context.addServletMappingDecoded("/", "shop");
        tomcat.start();
        tomcat.getServer().await();
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
                if ("/query".equals(request.getRequestURI())) {
                    query(Work.number(request.getQueryString(), "ms", 10));
                } else if (!Work.serve(request.getRequestURI(), request.getQueryString())) {
                    response.sendError(404);
                    return;
                }
                response.getWriter().write("ok\n");
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            } catch (SQLException refused) {
                response.sendError(503, refused.getMessage());
            }
        }

        private void query(long ms) throws SQLException, InterruptedException {
            try (var connection = pool.getConnection(); var statement = connection.createStatement()) {
                statement.execute("SELECT 1");
                Thread.sleep(ms);
            }
        }
    }
}
