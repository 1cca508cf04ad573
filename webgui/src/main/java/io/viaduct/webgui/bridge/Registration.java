package io.viaduct.webgui.bridge;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A registered contact of a user.
///
/// @param source transport, address and port that its REGISTER came from
/// @param scscf URI of the S-CSCF that serves the user, in an IMS core
/// @param icid charging identifier of the registration, of the core
/// @param ccf charging collection functions that the core has named
/// @param ecf event charging functions that the core has named
public record Registration(
    String user,
    @Nullable String contact,
    @Nullable String source,
    @Nullable Instant registeredAt,
    @Nullable Instant expiresAt,
    @Nullable String scscf,
    @Nullable String icid,
    @Nullable List<String> ccf,
    @Nullable List<String> ecf) {
  public Registration {
    Objects.requireNonNull(user);
    ccf = ccf == null ? List.of() : List.copyOf(ccf);
    ecf = ecf == null ? List.of() : List.copyOf(ecf);
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
