import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import redis.clients.jedis.JedisPooled;

/**
 * Tokens: issued against a password, kept in redis until they expire, noted in the database.
 *
 * <p>To issue one takes the CPU time of a password check (PBKDF2) and a round trip to each of the two. When it
 * expires is the policy: all at the next multiple of the life on the wall clock ("valid until the next full
 * hour"), or each on its own.
 */
final class Tokens {
    /** When the tokens of one service expire. */
    enum Expiry {
        /** All at the same moments: the multiples of their life. */
        ALIGNED,
        /** Each half to one and a half lives after it was issued, at random. */
        STAGGERED
    }

    /** A token and how long it is good, in ms from now. */
    record Issued(String token, long lastsMs) {}

    /** 30,000 rounds of HMAC-SHA256: 10 to 20 ms of one core. */
    private static final int ROUNDS = 30_000;

    private static final int KEY_BITS = 256;

    /** Redis keeps a token a little longer than its holder is told, so that none is refused on its way. */
    private static final long GRACE_MS = 2_000;

    private static final HexFormat HEX = HexFormat.of();

    private final HikariDataSource database;
    private final JedisPooled redis;
    private final Expiry expiry;
    private final long lifeMs;
    private final SecureRandom random = new SecureRandom();

    Tokens(HikariDataSource database, JedisPooled redis, Expiry expiry, long lifeMs) {
        this.database = database;
        this.redis = redis;
        this.expiry = expiry;
        this.lifeMs = lifeMs;
    }

    /** A new token for a user, or null if the password is wrong. */
    Issued issue(String user, String password) throws SQLException, GeneralSecurityException {
        if (!isRight(user, password)) {
            return null;
        }
        var bytes = new byte[16];
        random.nextBytes(bytes);
        String token = HEX.formatHex(bytes);
        long lastsMs = lastsMs();
        redis.psetex("token:" + token, lastsMs + GRACE_MS, user);
        try (var connection = database.getConnection();
                var note = connection.prepareStatement("REPLACE INTO tokens VALUES (?, ?, NOW(3))")) {
            note.setString(1, user);
            note.setString(2, token);
            note.executeUpdate();
        }
        return new Issued(token, lastsMs);
    }

    /** Who holds a token, or null if it is not good. */
    String holder(String token) {
        return redis.get("token:" + token);
    }

    private boolean isRight(String user, String password) throws SQLException, GeneralSecurityException {
        byte[] salt;
        byte[] hash;
        try (var connection = database.getConnection();
                var query = connection.prepareStatement("SELECT salt, hash FROM users WHERE name = ?")) {
            query.setString(1, user);
            try (var rows = query.executeQuery()) {
                if (!rows.next()) {
                    return false;
                }
                salt = rows.getBytes(1);
                hash = rows.getBytes(2);
            }
        }
        // Without a connection: the work below takes longer than all queries together.
        return MessageDigest.isEqual(hash, derived(password, salt));
    }

    private static byte[] derived(String password, byte[] salt) throws GeneralSecurityException {
        var spec = new PBEKeySpec(password.toCharArray(), salt, ROUNDS, KEY_BITS);
        return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    }

    private long lastsMs() {
        if (expiry == Expiry.ALIGNED) {
            return lifeMs - System.currentTimeMillis() % lifeMs;
        }
        return ThreadLocalRandom.current().nextLong(lifeMs / 2, lifeMs + lifeMs / 2);
    }
}
