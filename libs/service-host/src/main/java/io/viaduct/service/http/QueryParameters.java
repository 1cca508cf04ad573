package io.viaduct.service.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Checks the parameter names in the query string of a request (RFC 3986, section 3.4). Unknown
/// names are refused: a misspelt filter would otherwise be ignored, and the response would list
/// everything.
public final class QueryParameters {
  private static final int NAME_SHOWN = 64;

  private QueryParameters() {}

  /// Returns the reason why a query string is refused, written for its sender; empty if it is
  /// valid.
  ///
  /// @param query query string as received, percent-encoded; null or empty if there is none
  /// @param known parameter names of the resource
  public static Optional<String> refusal(@Nullable String query, Collection<String> known) {
    if (query == null || query.isEmpty()) {
      return Optional.empty();
    }
    Set<String> seen = new HashSet<>();
    for (String pair : query.split("&", -1)) {
      String name;
      try {
        name = URLDecoder.decode(pair.split("=", 2)[0], StandardCharsets.UTF_8);
        URLDecoder.decode(pair, StandardCharsets.UTF_8);
      } catch (IllegalArgumentException _) {
        return Optional.of("the query string is not percent-encoded: write % as %25");
      }
      if (!known.contains(name)) {
        return Optional.of(unknown(name, known));
      }
      if (!seen.add(name)) {
        return Optional.of("the query parameter '" + name + "' is given twice: send it once");
      }
    }
    return Optional.empty();
  }

  private static String unknown(String name, Collection<String> known) {
    String shown = name.length() > NAME_SHOWN ? name.substring(0, NAME_SHOWN) + "…" : name;
    return "unknown query parameter '%s'; %s"
        .formatted(
            shown,
            known.isEmpty()
                ? "this resource has none"
                : "known parameters: " + String.join(", ", new TreeSet<>(known)));
  }
}
