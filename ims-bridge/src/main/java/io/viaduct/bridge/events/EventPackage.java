package io.viaduct.bridge.events;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/// One event package whose resource is the subscriber's own account (RFC 6665 section 5).
///
/// @param <S> the state; equal states are told once
interface EventPackage<S> {
  String name();

  /// Returns the media type of the body of a NOTIFY.
  String type();

  /// Returns a value that is cheap to read and differs when the state may have changed.
  Object trigger(String user, Instant now);

  /// Returns when the trigger changes without a change of the user or of the user's contacts.
  default Instant next(String user, Instant now) {
    return Instant.MAX;
  }

  /// Returns the present state. The future never fails, and may end on any thread.
  CompletableFuture<S> state(String user, Instant now);

  /// Returns the body with the whole state.
  ///
  /// @param version 0 in the first NOTIFY of a subscription, then 1 more in each
  String document(String user, S state, int version, Instant now);
}
