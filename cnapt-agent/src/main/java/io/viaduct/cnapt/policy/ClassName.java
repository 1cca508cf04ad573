package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import java.util.stream.Collectors;

/// The name of a service class in the configuration, such as `HT_LD`.
public record ClassName(ServiceClass value) {
  /// Parses a name.
  public static ClassName of(String text) {
    return Arrays.stream(ServiceClass.values())
        .filter(each -> each.name().equals(text))
        .findFirst()
        .map(ClassName::new)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "class must be one of %s, got '%s'"
                    .formatted(
                        Arrays.stream(ServiceClass.values())
                            .map(Enum::name)
                            .collect(Collectors.joining(", ")),
                        text)));
  }

  @Override
  public String toString() {
    return value.name();
  }
}
