import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Json reads and writes what a test's client sends: the platform has no reader of its own. */
final class Json {
	private final String text;
	private int at;

	private Json(String text) {
		this.text = text;
	}

	static Object parse(String text) {
		return new Json(text).value();
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> object(Object value) {
		return (Map<String, Object>) value;
	}

	private char next() {
		while (Character.isWhitespace(text.charAt(at))) {
			at++;
		}
		return text.charAt(at);
	}

	private boolean takes(char c) {
		if (next() != c) {
			return false;
		}
		at++;
		return true;
	}

	private Object value() {
		switch (next()) {
		case '{':
			Map<String, Object> members = new LinkedHashMap<>();
			for (at++; !takes('}'); takes(',')) {
				String name = string();
				takes(':');
				members.put(name, value());
			}
			return members;
		case '[':
			List<Object> items = new ArrayList<>();
			for (at++; !takes(']'); takes(',')) {
				items.add(value());
			}
			return items;
		case '"':
			return string();
		}
		int from = at;
		while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0) {
			at++;
		}
		String word = text.substring(from, at);
		switch (word) {
		case "true":
		case "false":
			return Boolean.valueOf(word);
		case "null":
			return null;
		}
		return Double.valueOf(word);
	}

	private String string() {
		StringBuilder s = new StringBuilder();
		next();
		for (at++; text.charAt(at) != '"'; at++) {
			char c = text.charAt(at);
			if (c == '\\') {
				c = text.charAt(++at);
				switch (c) {
				case 'n': c = '\n'; break;
				case 't': c = '\t'; break;
				case 'r': c = '\r'; break;
				case 'b': c = '\b'; break;
				case 'f': c = '\f'; break;
				case 'u':
					c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
					at += 4;
					break;
				}
			}
			s.append(c);
		}
		at++;
		return s.toString();
	}

	static String write(Object value) {
		StringBuilder s = new StringBuilder();
		write(s, value);
		return s.toString();
	}

	private static void write(StringBuilder s, Object value) {
		String comma = "";
		if (value instanceof Map) {
			s.append('{');
			for (Map.Entry<String, Object> e : object(value).entrySet()) {
				s.append(comma);
				quote(s, e.getKey());
				write(s.append(':'), e.getValue());
				comma = ",";
			}
			s.append('}');
		} else if (value instanceof List) {
			s.append('[');
			for (Object item : (List<?>) value) {
				write(s.append(comma), item);
				comma = ",";
			}
			s.append(']');
		} else if (value instanceof String) {
			quote(s, (String) value);
		} else if (value instanceof Double && (Double) value == Math.rint((Double) value)) {
			s.append(((Double) value).longValue());
		} else {
			s.append(value);
		}
	}

	private static void quote(StringBuilder s, String text) {
		s.append('"');
		for (char c : text.toCharArray()) {
			if (c == '"' || c == '\\') {
				s.append('\\').append(c);
			} else if (c < ' ') {
				s.append(String.format("\\u%04x", (int) c));
			} else {
				s.append(c);
			}
		}
		s.append('"');
	}
}
