package shop;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import shop.Application.Dials;

/** GET /orders/N: an order; GET /orders: the first twenty. */
@RestController
public class Orders {
    private static final Logger LOG = LoggerFactory.getLogger(Orders.class);

    private final Dials dials;
    private final DataSource source;
    private final JdbcTemplate database;
    private final TransactionTemplate transaction;
    private final RestClient quotes;
    private final Object ledger = new Object();
    private final byte[][] live;

    Orders(Dials dials, DataSource source, PlatformTransactionManager transactions, RestClient quotes) {
        this.dials = dials;
        this.source = source;
        this.database = new JdbcTemplate(source);
        this.transaction = new TransactionTemplate(transactions);
        this.quotes = quotes;
        live = new byte[dials.liveMb() * 64][];
        for (int i = 0; i < live.length; i++) {
            live[i] = new byte[16 * 1024];
        }
    }

    @GetMapping("/orders")
    List<Map<String, Object>> several() {
        return database.queryForList("SELECT id, name, price FROM orders WHERE id <= 20");
    }

    @GetMapping("/orders/{number}")
    Map<String, Object> order(@PathVariable int number) throws SQLException {
        var random = ThreadLocalRandom.current();
        if (random.nextDouble() < dials.unclosed()) {
            source.getConnection().setReadOnly(true);
        }
        Map<String, Object> order = transaction.execute(status -> {
            Map<String, Object> row = find(number);
            if (dials.held()) {
                row.put("quote", quote(number));
            }
            return row;
        });
        if (!dials.held()) {
            order.put("quote", quote(number));
        }
        if (dials.lockMs() > 0) {
            synchronized (ledger) {
                pause(dials.lockMs());
            }
        }
        for (int line = 0; line < dials.logLines(); line++) {
            LOG.info("order {}, step {}: {}, thread {}", number, line, order, Thread.currentThread().getId());
        }
        byte[][] page = new byte[dials.allocateKb()][];
        for (int i = 0; i < page.length; i++) {
            page[i] = new byte[1024];
        }
        for (int i = 0; i < dials.replaced(); i++) {
            live[random.nextInt(live.length)] = new byte[16 * 1024];
        }
        long sum = page.length;
        for (int i = 0; i < dials.work(); i++) {
            sum = sum * 6364136223846793005L + 1442695040888963407L;
        }
        order.put("sum", sum);
        return order;
    }

    private Map<String, Object> find(int number) {
        if (dials.hotMs() > 0) {
            database.update("UPDATE stock SET n = n + 1 WHERE id = 1");
            pause(dials.hotMs());
        }
        Map<String, Object> row = Map.of();
        for (int step = 0; step < dials.queries(); step++) {
            String text = "SELECT id, name, price FROM orders WHERE " + dials.column() + " = ?";
            row = database.queryForMap(text, (number + step) % dials.orders() + 1);
        }
        if (dials.write()) {
            database.update("INSERT INTO visits (item) VALUES (?)", number);
        }
        return row;
    }

    private String quote(int number) {
        return quotes.get().uri("/quote/" + number).retrieve().body(String.class);
    }

    private static void pause(double milliseconds) {
        LockSupport.parkNanos((long) (milliseconds * 1e6));
    }
}
