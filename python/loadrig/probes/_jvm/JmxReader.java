import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads MBeans of another JVM for loadrig: a line on standard input asks, a line of JSON answers. It ends
 * with its standard input, so a rig that was killed leaves none behind.
 *
 * <pre>
 * connect TAB url [TAB user TAB password]      {"beans":{}}
 * read TAB pattern TAB attribute,attribute …   {"beans":{"java.lang:type=Memory":{"HeapMemoryUsage":{…}}}}
 * </pre>
 *
 * An answer to a request that failed is {"error":"…","kind":"refused"|"lost"}. The attribute "#states" of the
 * MBean java.lang:type=Threading is the number of threads in each state.
 */
public final class JmxReader {
    /** How long the names that a pattern found are used again: asking for them costs the other side most. */
    private static final long NAMES_NS = 10_000_000_000L;

    private static final String STATES = "#states";

    private final Map<String, Found> names = new HashMap<>();
    private MBeanServerConnection server;
    private JMXConnector connector;

    private static final class Found {
        final Set<ObjectName> names;
        final long atNs = System.nanoTime();

        Found(Set<ObjectName> names) {
            this.names = names;
        }
    }

    private JmxReader() {}

    public static void main(String[] args) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        var reader = new JmxReader();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(reader.answer(line.split("\t", -1)));
            out.flush();
        }
        // The threads of an open connection to a JVM that hangs would keep this one alive.
        Runtime.getRuntime().halt(0);
    }

    private String answer(String[] words) {
        try {
            var beans = new TreeMap<String, Object>();
            if (words[0].equals("connect")) {
                connect(words);
            } else {
                for (int i = 1; i + 1 < words.length; i += 2) {
                    read(words[i], words[i + 1].split(","), beans);
                }
            }
            return json(Map.of("beans", beans));
        } catch (SecurityException refused) {
            return failure("refused", refused);
        } catch (IOException | JMException | RuntimeException lost) {
            return failure("lost", lost);
        }
    }

    private static String failure(String kind, Exception error) {
        Throwable cause = error;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String text = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return json(Map.of("error", text.split("\n")[0], "kind", kind));
    }

    private void connect(String[] words) throws IOException {
        names.clear();
        if (connector != null) {
            try {
                connector.close();
            } catch (IOException gone) {
                // it is left because it broke
            }
        }
        var environment = new HashMap<String, Object>();
        if (words.length > 3) {
            environment.put(JMXConnector.CREDENTIALS, new String[] {words[2], words[3]});
        }
        connector = JMXConnectorFactory.connect(new JMXServiceURL(words[1]), environment);
        server = connector.getMBeanServerConnection();
    }

    private void read(String pattern, String[] attributes, Map<String, Object> beans)
            throws IOException, JMException {
        for (ObjectName name : named(pattern)) {
            var values = new TreeMap<String, Object>();
            try {
                for (Object one : server.getAttributes(name, attributes)) {
                    values.put(((Attribute) one).getName(), ((Attribute) one).getValue());
                }
                for (String attribute : attributes) {
                    if (attribute.equals(STATES)) {
                        values.put(STATES, states(name));
                    }
                }
            } catch (InstanceNotFoundException gone) {
                names.remove(pattern);
                continue;
            }
            beans.merge(name.getCanonicalName(), values, JmxReader::joined);
        }
    }

    @SuppressWarnings("unchecked")
    private static Object joined(Object some, Object more) {
        ((Map<String, Object>) some).putAll((Map<String, Object>) more);
        return some;
    }

    private Set<ObjectName> named(String pattern) throws IOException, JMException {
        Found found = names.get(pattern);
        if (found == null || System.nanoTime() - found.atNs > NAMES_NS) {
            var name = new ObjectName(pattern);
            found = new Found(name.isPattern() ? new TreeSet<>(server.queryNames(name, null)) : Set.of(name));
            names.put(pattern, found);
        }
        return found.names;
    }

    private Map<String, Integer> states(ObjectName threading) throws IOException, JMException {
        var counts = new TreeMap<String, Integer>();
        Object ids = server.getAttribute(threading, "AllThreadIds");
        CompositeData[] infos;
        try {
            infos = (CompositeData[]) server.invoke(
                    threading, "getThreadInfo", new Object[] {ids}, new String[] {"[J"});
        } catch (SecurityException refused) {
            return counts; // a user who may only read attributes: all else is read all the same
        }
        for (CompositeData info : infos) {
            if (info != null) { // it ended in the meantime
                counts.merge(String.valueOf(info.get("threadState")), 1, Integer::sum);
            }
        }
        return counts;
    }

    private static String json(Object value) {
        var out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String comma = "{";
            for (var entry : ((Map<?, ?>) value).entrySet()) {
                write(entry.getKey(), out.append(comma));
                write(entry.getValue(), out.append(':'));
                comma = ",";
            }
            out.append(comma.equals("{") ? "{}" : "}");
        } else if (value instanceof CompositeData) {
            var map = new TreeMap<String, Object>();
            for (String key : ((CompositeData) value).getCompositeType().keySet()) {
                map.put(key, ((CompositeData) value).get(key));
            }
            write(map, out);
        } else if (value != null && value.getClass().isArray()) {
            out.append('[');
            for (int i = 0; i < Array.getLength(value); i++) {
                write(Array.get(value, i), i == 0 ? out : out.append(','));
            }
            out.append(']');
        } else if (value instanceof Number || value instanceof Boolean) {
            String text = value.toString();
            boolean isOdd = text.equals("NaN") || text.endsWith("Infinity");
            out.append(isOdd ? "null" : text);
        } else if (value == null) {
            out.append("null");
        } else {
            quote(value.toString(), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < ' ' || letter > '~') {
                out.append(String.format("\\u%04x", (int) letter));
            } else {
                out.append(letter);
            }
        }
        out.append('"');
    }
}
