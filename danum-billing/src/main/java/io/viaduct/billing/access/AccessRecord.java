package io.viaduct.billing.access;

import java.time.Duration;
import java.time.Instant;

/// A record of a session by an access network. Counts are those of the session until now.
///
/// @param key session that it counts
/// @param account account of the user
/// @param device device as the network calls it; may be empty
/// @param address address that the device has; may be empty
/// @param at time of the event
/// @param lasted time that the session has lasted, as the network says
/// @param octetsUp from the device
/// @param octetsDown to the device
/// @param endedBy reason of the end; empty while the session goes on
public record AccessRecord(
    Key key,
    String account,
    String device,
    String address,
    Instant at,
    Duration lasted,
    long octetsUp,
    long octetsDown,
    String endedBy) {

  /// Names a session of an access network.
  ///
  /// @param network name of the network in the configuration
  /// @param server access server; may be empty
  /// @param session name of the session there
  public record Key(String network, String server, String session) {}

  /// Returns true if the session ends with this record.
  boolean isEnd() {
    return !endedBy.isEmpty();
  }
}
