package io.viaduct.cnapt.control;

import org.jspecify.annotations.Nullable;

/// A session that another SNAPT has welcomed in a hand-over, until the old SNAPT says that it is
/// done:
///
///     NONE ──Welcome──▶ OPEN ──done──▶ NONE      the session is at the new SNAPT
///                        │ the new one is lost
///                        ▼
///                       BACK ──done──▶ NONE      it was taken nevertheless: the device goes there again
///                        └──FORGOTTEN_NS──▶ NONE  the session is at the old SNAPT
///
/// The new SNAPT decides, when the first datagram of the device arrives. Only the old one hears of
/// it, so its connection stays until then. Owner: the control loop, which passes the time.
///
/// @param <C> connection to the old SNAPT
/// @param <S> a session
final class WayBack<C, S> {
  /// Time for which the session at the new SNAPT is remembered after the return. The data path
  /// keeps it longer.
  static final long FORGOTTEN_NS = 25_000_000_000L;

  private enum State {
    NONE,
    OPEN,
    BACK
  }

  /// The old SNAPT of an open hand-over.
  ///
  /// @param by connection to it
  /// @param session at it
  record Old<C, S>(C by, S session) {}

  private State state = State.NONE;
  private long number;
  private @Nullable Old<C, S> old;
  private @Nullable S fresh;
  private long backNs;

  /// Notes the Welcome of the new SNAPT.
  ///
  /// @param number of the hand-over
  /// @param welcomed session at the new one
  void open(Old<C, S> before, long ofNumber, S welcomed) {
    state = State.OPEN;
    old = before;
    number = ofNumber;
    fresh = welcomed;
  }

  /// Returns whether it is not decided which SNAPT has the session.
  boolean isOpen() {
    return state == State.OPEN;
  }

  /// Returns whether this connection leads to the old SNAPT of an open hand-over.
  boolean isOpenFrom(C by) {
    Old<C, S> before = old;
    return isOpen() && before != null && before.by().equals(by);
  }

  /// Goes back, because the new SNAPT is lost.
  ///
  /// @return the old one; null if no hand-over is open
  @Nullable Old<C, S> turn(long nowNs) {
    if (!isOpen()) {
      return null;
    }
    Old<C, S> to = old;
    state = State.BACK;
    old = null;
    backNs = nowNs;
    return to;
  }

  /// Returns the session at the new SNAPT that was left, null if there is none.
  @Nullable S left(long nowNs) {
    return state == State.BACK && nowNs - backNs < FORGOTTEN_NS ? fresh : null;
  }

  /// Returns the session at the new SNAPT, which has it although the device has turned back; null
  /// if it was another hand-over.
  ///
  /// @param ofNumber of the hand-over that is done
  @Nullable S takenNevertheless(long ofNumber, long nowNs) {
    return ofNumber == number ? left(nowNs) : null;
  }

  /// Ends the hand-over.
  ///
  /// @return connection to the old SNAPT if it was open
  @Nullable C close() {
    Old<C, S> before = old;
    state = State.NONE;
    old = null;
    fresh = null;
    return before == null ? null : before.by();
  }
}
