package io.viaduct.sip.useragent;

/// What a user agent tells its owner. Called on the user agent's threads: return soon.
public interface UserAgentListener {
  default void onState(UserAgentState state) {}

  default void onSessionGrant(SessionGrant grant) {}

  default void onMessage(InstantMessage message) {}
}
