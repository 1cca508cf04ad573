package io.viaduct.tunnel.path;

import java.net.InetSocketAddress;

/// A new address of a session's datagrams that has not answered its challenge yet.
///
/// Datagrams of the path may go there too, as second copies, as long as they are no more than what
/// has come from there: whoever forwards datagrams from another's address makes nobody receive more
/// than he has sent (RFC 9000 section 8.1 allows three times as much).
public final class Candidate {
  static final long KEPT_NS = 3_000_000_000L;

  /// Most bytes that may be owed: a burst of datagrams.
  static final int CREDIT_MAX = 65_536;

  final InetSocketAddress address;
  final long nonce;
  final long sinceNs;
  int path;
  long challengedNs;
  private int credit;

  Candidate(InetSocketAddress address, long nonce, long nowNs) {
    this.address = address;
    this.nonce = nonce;
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

  /// Returns the bytes of outer IP packets that may be sent there now.
  public int credit() {
    return credit;
  }

  /// Takes bytes of the credit. @return false if it has fewer: then nothing may be sent
  public boolean pays(int bytes) {
    boolean enough = bytes <= credit;
    credit -= enough ? bytes : 0;
    return enough;
  }

  void receive(int bytes) {
    credit = Math.min(CREDIT_MAX, credit + bytes);
  }
}
