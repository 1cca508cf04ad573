package io.viaduct.webgui.bridge;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A registered contact of a user.
///
/// @param source transport, address and port that its REGISTER came from
public record Registration(
    String user,
    @Nullable String contact,
    @Nullable String source,
    @Nullable Instant registeredAt,
    @Nullable Instant expiresAt) {
  public Registration {
    Objects.requireNonNull(user);
  }

  /// A page of registrations, by user.
  ///
  /// @param total all that fit the search
  /// @param next cursor of the next page; null on the last page
  public record Page(List<Registration> registrations, int total, @Nullable String next) {
    public Page {
      registrations = List.copyOf(registrations);
    }
  }
}
