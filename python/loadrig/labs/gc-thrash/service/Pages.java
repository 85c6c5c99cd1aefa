import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** The pages of the service; what they are for stands in Service. */
final class Pages {
    private Pages() {}

    /** POST /login: a token against a password. */
    static final class Login extends HttpServlet {
        private static final long serialVersionUID = 1;

        /** Two texts in flat JSON: what this service is sent needs no library. */
        private static final Pattern FIELD = Pattern.compile("\"(user|password)\"\\s*:\\s*\"([^\"\\\\]*)\"");

        private final transient Tokens tokens;

        Login(Tokens tokens) {
            this.tokens = tokens;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String user = "";
            String password = "";
            var fields = FIELD.matcher(new String(request.getInputStream().readAllBytes(), "UTF-8"));
            while (fields.find()) {
                if ("user".equals(fields.group(1))) {
                    user = fields.group(2);
                } else {
                    password = fields.group(2);
                }
            }
            try {
                var issued = tokens.issue(user, password);
                if (issued == null) {
                    response.sendError(HttpServletResponse.SC_UNAUTHORIZED, "no such user, or a wrong password");
                    return;
                }
                response.setContentType("application/json");
                String answer = "{\"token\": \"%s\", \"lasts_s\": %.3f}%n";
                response.getWriter().printf(Locale.ROOT, answer, issued.token(), issued.lastsMs() / 1000.0);
            } catch (SQLException | GeneralSecurityException refused) {
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, refused.getMessage());
            }
        }
    }

    /** GET /orders: what the holder of a token ordered last. */
    static final class Orders extends HttpServlet {
        private static final long serialVersionUID = 1;
        private static final String NEWEST =
                "SELECT id, cents FROM orders WHERE customer = ? ORDER BY id DESC LIMIT 10";

        private final transient Tokens tokens;
        private final transient HikariDataSource database;
        private final transient Memory memory;

        Orders(Tokens tokens, HikariDataSource database, Memory memory) {
            this.tokens = tokens;
            this.database = database;
            this.memory = memory;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String given = request.getHeader("Authorization");
            String user = given == null ? null : tokens.holder(given.replace("Bearer ", ""));
            if (user == null) {
                response.sendError(HttpServletResponse.SC_UNAUTHORIZED, "a token is needed: POST /login");
                return;
            }
            response.setContentType("application/json");
            try (var connection = database.getConnection();
                    var query = connection.prepareStatement(NEWEST)) {
                query.setString(1, user);
                var lines = new StringBuilder("{\"orders\": [");
                try (var rows = query.executeQuery()) {
                    String before = "";
                    while (rows.next()) {
                        lines.append(before).append("{\"id\": ").append(rows.getInt(1));
                        lines.append(", \"cents\": ").append(rows.getInt(2)).append('}');
                        before = ", ";
                    }
                }
                lines.append("], \"check\": ").append(memory.touch()).append("}\n");
                response.getWriter().append(lines);
            } catch (SQLException refused) {
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, refused.getMessage());
            }
        }
    }

    /** GET /health: that it is up and warm. */
    static final class Health extends HttpServlet {
        private static final long serialVersionUID = 1;

        /** Set by who has warmed the service up. */
        volatile boolean isWarm;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (!isWarm) {
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "warming up");
                return;
            }
            response.getWriter().println("ok");
        }
    }
}
