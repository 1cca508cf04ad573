package io.viaduct.cnapt.control;

import io.netty.buffer.ByteBuf;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.LineRate;
import java.util.List;
import java.util.Map;

/// Receives the events of the control connection; called on its event loop.
public interface ControlListener {
  /// Called after a Welcome. For a new session, the data path must change keys. A resumed session
  /// continues unchanged.
  void welcomed(Welcomed welcomed);

  /// Called when the session goes on at the SNAPT that has handed it over, because the other one
  /// was lost before it had the session.
  ///
  /// @param to the last Welcome of the session that goes on
  default void turnedBack(Welcomed to) {}

  /// Called when the control connection is lost. The client tries to reconnect. The data path
  /// continues.
  void lost(ControlFailure why, String detail);

  /// Called when the token was refused; only another token can help.
  void tokenRefused(String detail);

  /// Called when a newer token was accepted.
  void tokenAccepted(long expiresMs);

  /// Called when the SNAPT tells that the credit of the account has changed.
  void credit(CreditNotice notice);

  /// Called when the list of SNAPTs has changed.
  void relays(List<Snapt> relays);

  /// Called with what the SNAPT tells about itself: its state and its load.
  ///
  /// @param draining true if new flows should go elsewhere
  /// @param deadlineMs Unix time at which the sessions that are left move or end; 0 for never
  /// @param loadPercent 0 to 100
  default void told(boolean draining, long deadlineMs, int loadPercent) {}

  /// Called when the SNAPT tells the rate of its line towards this device, and those of its paths.
  default void lineRate(LineRate rate) {}

  /// Called with what the bridge's directory says about all SNAPTs, by id.
  default void terms(Map<String, SnaptTerms> told) {}

  /// Returns whether the session may be left for another SNAPT now: no flow has begun since
  /// [ControlClient#moveOn].
  default boolean mayLeave() {
    return true;
  }

  /// Returns whether another SNAPT of the device carries, so that it can do without this one.
  default boolean isSpare() {
    return false;
  }

  /// Returns whether the device has enough sessions without this one, so that none should follow
  /// it.
  default boolean isSurplus() {
    return false;
  }

  /// Called when the client has no session, and begins none before [ControlClient#open].
  ///
  /// @param why for a person
  default void slept(String why) {}

  /// Returns whether nothing comes from the SNAPT of the session.
  default boolean isSilent() {
    return false;
  }

  /// Returns whether datagrams still pass, and flows of the session live by them. Another SNAPT
  /// would end these flows.
  default boolean livesWithoutControl() {
    return false;
  }

  /// Called when the SNAPT of the session has not come back within `snapt-patience`.
  ///
  /// @return true if the listener ends the session, and no attempt should resume it
  default boolean gaveUp() {
    return false;
  }

  /// Called when the session has ended because the device can do without it. Another one begins
  /// when a SNAPT is free.
  ///
  /// @param why what the SNAPT was told
  default void rested(String why) {}

  /// Called when the SNAPT that [ControlClient#moveTo] has named does not take the device. The
  /// session stays where it is, and no other attempt follows.
  default void notTaken() {}

  /// Returns the inner bytes that the tunnel has carried so far, in both directions.
  long carriedBytes();

  /// Called for sealed datagrams that arrived in the control connection.
  ///
  /// @param datagrams direct buffers; the listener releases them
  /// @param taken run, on any thread, after the listener has released them; until then, the
  ///   connection reads only a bounded number of bytes
  void datagrams(List<ByteBuf> datagrams, Runnable taken);
}
