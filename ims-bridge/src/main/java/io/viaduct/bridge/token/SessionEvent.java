package io.viaduct.bridge.token;

import io.viaduct.sip.FieldText;
import java.util.Optional;
import java.util.regex.Pattern;

/// The Event header of a session's subscription (RFC 6665 section 8.2.1): the event package, and an
/// optional id. The subscriber chooses the id, and each NOTIFY repeats it.
///
/// @param id a token (RFC 3261 section 25.1), empty if the subscriber gave none
record SessionEvent(String id) {
  private static final String PACKAGE = "snapt-session";
  private static final Pattern TOKEN = Pattern.compile(FieldText.TOKEN_CHARACTER + "{0,64}");

  /// Parses the header's value.
  ///
  /// @return empty if the value names another package, or an id that is not a token of at most 64
  ///   characters
  static Optional<SessionEvent> parse(String value) {
    String[] parts = value.split(";", 2);
    if (!parts[0].strip().equals(PACKAGE)) {
      return Optional.empty();
    }
    String id = parts.length == 1 ? "" : FieldText.parameters(parts[1], ';').getOrDefault("id", "");
    return TOKEN.matcher(id).matches() ? Optional.of(new SessionEvent(id)) : Optional.empty();
  }

  /// Returns the header's value.
  String text() {
    return id.isEmpty() ? PACKAGE : PACKAGE + ";id=" + id;
  }
}
