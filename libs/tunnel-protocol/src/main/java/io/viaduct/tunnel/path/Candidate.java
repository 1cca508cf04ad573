package io.viaduct.tunnel.path;

import io.viaduct.tunnel.wire.PathMessage;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A new address of a session's datagrams that has not answered its challenge yet.
///
/// A forger who sends datagrams from another's address makes nobody receive more than he has sent:
/// everything that goes to the address is paid by what has come from there (RFC 9000 section 8.1
/// allows three times as much). A CHALLENGE that is due comes first; the rest pays the answer to a
/// PROBE, and second copies of the path's datagrams.
public final class Candidate {
  static final long KEPT_NS = 3_000_000_000L;

  /// Most bytes that may be owed: a burst of datagrams.
  static final int CREDIT_MAX = 65_536;

  final InetSocketAddress address;
  final long nonce;
  final long sinceNs;
  private final int challengeBytes;
  int path;
  private boolean isChallenged;
  private boolean isSavingForChallenge;
  private long challengedNs;
  private int credit;
  private PathMessage.@Nullable ProbeReply unpaid;

  /// @param challengeBytes of the outer IP packet of a CHALLENGE
  Candidate(InetSocketAddress address, long nonce, int challengeBytes, long nowNs) {
    this.address = address;
    this.nonce = nonce;
    this.challengeBytes = challengeBytes;
    this.sinceNs = nowNs;
  }

  /// Returns where copies go.
  public InetSocketAddress address() {
    return address;
  }

  /// Returns whether an answer to the challenge still counts.
  public boolean isOpen(long nowNs) {
    return nowNs - sinceNs <= KEPT_NS;
  }

  /// Returns the bytes of outer IP packets that may be sent there now, beside CHALLENGEs.
  public int credit() {
    return isSavingForChallenge ? 0 : credit;
  }

  /// Takes bytes of the credit. @return false if it has fewer: then nothing may be sent
  public boolean pays(int bytes) {
    boolean enough = bytes <= credit();
    credit -= enough ? bytes : 0;
    return enough;
  }

  /// Takes the bytes of a CHALLENGE of the credit.
  ///
  /// @return false if none may be sent now
  boolean paysChallenge(long nowNs) {
    boolean isDue = !isChallenged || nowNs - challengedNs >= Bindings.CHALLENGE_SPACING_NS;
    isSavingForChallenge = isDue && challengeBytes > credit;
    if (!isDue || isSavingForChallenge) {
      return false;
    }
    credit -= challengeBytes;
    isChallenged = true;
    challengedNs = nowNs;
    return true;
  }

  void receive(int bytes) {
    credit = Math.min(CREDIT_MAX, credit + bytes);
  }

  /// Keeps the answer to a PROBE that the credit does not pay yet. It takes the place of an earlier
  /// one.
  public void owes(PathMessage.ProbeReply reply) {
    unpaid = reply;
  }

  /// Returns the answer to a PROBE that was not paid yet, and forgets it; null if there is none.
  public PathMessage.@Nullable ProbeReply takeOwed() {
    PathMessage.ProbeReply owed = unpaid;
    unpaid = null;
    return owed;
  }

  /// Returns whether an answer to a PROBE is not paid yet.
  public boolean owes() {
    return unpaid != null;
  }
}
