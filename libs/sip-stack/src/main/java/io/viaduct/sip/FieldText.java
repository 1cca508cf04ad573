package io.viaduct.sip;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Reads header values. A separator counts only outside of quoted strings and `<...>`.
public final class FieldText {
  /// Matches one character of a token, as a regular expression (RFC 3261 section 25.1).
  public static final String TOKEN_CHARACTER = "[A-Za-z0-9.!%*_+`'~-]";

  private FieldText() {}

  /// Splits a value at a separator. Parts are stripped, and empty parts are left out.
  public static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    boolean quoted = false;
    int angle = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted) {
        if (c == '\\') {
          i++;
        } else if (c == '"') {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == '<') {
        angle++;
      } else if (c == '>') {
        angle = Math.max(0, angle - 1);
      } else if (c == separator && angle == 0) {
        addPart(parts, text.substring(start, i));
        start = i + 1;
      }
    }
    addPart(parts, text.substring(start));
    return List.copyOf(parts);
  }

  private static void addPart(List<String> parts, String text) {
    String part = text.strip();
    if (!part.isEmpty()) {
      parts.add(part);
    }
  }

  /// Reads `name=value` pairs separated by a character. Names are in lower case and quotes are
  /// removed. A name without a value maps to the empty text, and a value without a name is left
  /// out. Of two equal names the first one counts.
  public static Map<String, String> parameters(String text, char separator) {
    Map<String, String> found = new LinkedHashMap<>();
    for (String part : split(text, separator)) {
      int equals = part.indexOf('=');
      String name = (equals < 0 ? part : part.substring(0, equals)).strip();
      String value = equals < 0 ? "" : unquote(part.substring(equals + 1).strip());
      if (!name.isEmpty()) {
        found.putIfAbsent(name.toLowerCase(Locale.ROOT), value);
      }
    }
    return found;
  }

  /// Returns true if the text has a `<` or `>` outside of quoted strings.
  static boolean hasBrackets(String text) {
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (quoted && c == '\\') {
        i++;
      } else if (!quoted && (c == '<' || c == '>')) {
        return true;
      }
    }
    return false;
  }

  /// Returns the text of a quoted string, or the text itself if it is not quoted.
  public static String unquote(String text) {
    if (text.length() < 2 || !text.startsWith("\"") || !text.endsWith("\"")) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 1; i < text.length() - 1; i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length() - 1) {
        c = text.charAt(++i);
      }
      plain.append(c);
    }
    return plain.toString();
  }

  /// Returns the text as a quoted string (RFC 3261 section 25.1).
  public static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
