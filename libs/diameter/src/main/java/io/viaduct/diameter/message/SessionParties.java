package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.Dictionary;

/// The two ends of the sessions of one application, and its context.
///
/// @param host Origin-Host
/// @param realm Origin-Realm
/// @param destinationRealm realm of the charging system
/// @param context Service-Context-Id, such as `32260@3gpp.org` with a release before it
public record SessionParties(
    Dictionary dictionary, String host, String realm, String destinationRealm, String context) {

  /// Returns the AVPs with which every request of a session begins.
  public AvpBuilder begin(String sessionId) {
    return new AvpBuilder(dictionary)
        .add("Session-Id", sessionId)
        .add("Origin-Host", host)
        .add("Origin-Realm", realm)
        .add("Destination-Realm", destinationRealm);
  }
}
