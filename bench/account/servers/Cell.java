import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What cells.spec has written: a flat JSON object of numbers, booleans and texts without escapes. */
final class Cell {
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\\s*(?:\"([^\"]*)\"|([^,}\\s]+))");

    final int slots;
    final String queue;
    final double sleepMs;
    final double cpuMs;
    final double lockMs;
    final int pool;
    final boolean calls;
    final int diskKb;
    final int parts;
    final boolean closes;
    final int dependencyPort;
    final String unix;
    final String file;

    Cell(String json) {
        Map<String, String> fields = new HashMap<>();
        Matcher found = FIELD.matcher(json);
        while (found.find()) {
            fields.put(found.group(1), found.group(2) != null ? found.group(2) : found.group(3));
        }
        slots = Integer.parseInt(fields.get("slots"));
        queue = fields.get("queue");
        sleepMs = Double.parseDouble(fields.get("sleep_ms"));
        cpuMs = Double.parseDouble(fields.get("cpu_ms"));
        lockMs = Double.parseDouble(fields.get("lock_ms"));
        pool = Integer.parseInt(fields.get("pool"));
        calls = Boolean.parseBoolean(fields.get("calls"));
        diskKb = Integer.parseInt(fields.get("disk_kb"));
        parts = Integer.parseInt(fields.get("parts"));
        closes = Boolean.parseBoolean(fields.get("closes"));
        dependencyPort = Integer.parseInt(fields.get("dependency_port"));
        unix = fields.get("unix");
        file = fields.get("file");
    }
}
