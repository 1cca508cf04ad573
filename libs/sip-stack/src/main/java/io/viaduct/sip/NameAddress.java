package io.viaduct.sip;

import java.util.Map;

/// The value of From, To or Contact: a URI in brackets or bare, then header parameters (RFC 3261
/// section 20.10). The display name is not kept.
///
/// @param uri as written, without brackets
public record NameAddress(String uri, Map<String, String> parameters) {
  public NameAddress {
    parameters = Map.copyOf(parameters);
  }

  /// Reads a header value.
  ///
  /// @throws IllegalArgumentException if brackets or quotes do not match
  public static NameAddress parse(String text) {
    int from = afterDisplayName(text);
    int open = text.indexOf('<', from);
    if (open >= 0) {
      int close = text.indexOf('>', open);
      if (close < 0) {
        throw new IllegalArgumentException("'<' without '>' in '" + text + "'");
      }
      return of(text.substring(open + 1, close), text.substring(close + 1).strip(), text);
    }
    // Without brackets parameters belong to the header, not to the URI (RFC 3261 section 20).
    int semicolon = text.indexOf(';');
    return semicolon < 0
        ? of(text.strip(), "", text)
        : of(text.substring(0, semicolon).strip(), text.substring(semicolon), text);
  }

  private static NameAddress of(String uri, String rest, String text) {
    // In brackets a semicolon would not separate, so brackets may stand only in quotes here.
    if (uri.isEmpty() || FieldText.hasBrackets(rest) || !(rest.isEmpty() || rest.startsWith(";"))) {
      throw new IllegalArgumentException("must be an address with parameters: '" + text + "'");
    }
    return new NameAddress(uri, FieldText.parameters(rest, ';'));
  }

  private static int afterDisplayName(String text) {
    String stripped = text.stripLeading();
    if (!stripped.startsWith("\"")) {
      return 0;
    }
    for (int i = text.indexOf('"') + 1; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == '"') {
        return i + 1;
      }
    }
    throw new IllegalArgumentException("quoted name without end in '" + text + "'");
  }

  /// Returns the `tag` parameter, or the empty text.
  public String tag() {
    return parameters.getOrDefault("tag", "");
  }

  /// Returns the URI in its parts.
  ///
  /// @throws IllegalArgumentException if it is not a `sip` URI
  public SipUri sipUri() {
    return SipUri.parse(uri);
  }
}
