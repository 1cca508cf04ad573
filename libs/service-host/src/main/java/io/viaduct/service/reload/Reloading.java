package io.viaduct.service.reload;

import java.util.List;
import java.util.function.Function;

/// A part of a service that can apply new values of some keys while it runs.
///
/// @param always true if the part is prepared at each reload, even if none of its keys has changed
/// @param keys keys that the part reloads; `tls` includes `tls.certificate` and all other keys
///   below it
/// @param preparation checks the new values without a change, and throws a [ConfigurationException]
///   if they are not valid. It returns the action that applies them and cannot fail, or
///   [#AT_NEXT_START]
public record Reloading<T extends Record>(
    boolean always, List<String> keys, Function<T, Runnable> preparation) {
  /// Returned by a preparation whose new values need a restart.
  public static final Runnable AT_NEXT_START = () -> {};

  public Reloading {
    keys = List.copyOf(keys);
  }

  /// A part that is prepared only if one of its keys has changed.
  public Reloading(List<String> keys, Function<T, Runnable> preparation) {
    this(false, keys, preparation);
  }

  /// Returns whether the part reloads a key: it is one of the part's keys or below one of them.
  boolean reloads(String key) {
    return keys.stream().anyMatch(prefix -> key.equals(prefix) || key.startsWith(prefix + "."));
  }
}
