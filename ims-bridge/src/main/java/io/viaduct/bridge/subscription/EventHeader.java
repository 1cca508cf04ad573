package io.viaduct.bridge.subscription;

import io.viaduct.sip.FieldText;
import java.util.Optional;
import java.util.regex.Pattern;

/// The Event header of a subscription (RFC 6665 section 8.2.1): the event package, and an optional
/// id. The subscriber chooses the id, a token (RFC 3261 section 25.1), and each NOTIFY repeats it.
public final class EventHeader {
  private static final Pattern ID = Pattern.compile(FieldText.TOKEN_CHARACTER + "{0,64}");

  private EventHeader() {}

  /// Returns the event package that a value names; empty if it names none.
  public static String name(String value) {
    return value.split(";", 2)[0].strip();
  }

  /// Returns the value for NOTIFYs.
  ///
  /// @param name of the event package that is wanted
  /// @return empty if the value names another package, or an id that is not a token of at most 64
  ///   characters
  public static Optional<String> parse(String value, String name) {
    if (!name(value).equals(name)) {
      return Optional.empty();
    }
    String[] parts = value.split(";", 2);
    String id = parts.length == 1 ? "" : FieldText.parameters(parts[1], ';').getOrDefault("id", "");
    return ID.matcher(id).matches()
        ? Optional.of(id.isEmpty() ? name : name + ";id=" + id)
        : Optional.empty();
  }
}
