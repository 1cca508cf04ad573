package io.viaduct.snapt.binding;

import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.tunnel.session.TunnelTerms;
import io.viaduct.usage.v1.SessionToken;
import java.util.List;
import java.util.UUID;

/// One device's session: what was agreed when it opened, and the token that authorises it now.
///
/// Written by the control thread, but for [#heard], which its event loop writes.
public final class Session {
  private final UUID id;
  private final Terms terms;
  private final int receiverIndex;
  private final int slot;
  private volatile ShownToken token;
  private volatile long heardMs;

  /// What the device asked for and got.
  ///
  /// @param tunnel its secret is wiped when the tunnel has its keys
  /// @param applications names that the device classifies with, by index
  /// @param software what the device says that it runs
  /// @param receipts whether its agent signs receipts
  public record Terms(
      TunnelTerms tunnel,
      InnerAddresses inner,
      List<String> applications,
      String software,
      boolean receipts) {
    public Terms {
      applications = List.copyOf(applications);
    }
  }

  Session(UUID id, ShownToken token, Terms terms, int receiverIndex, int slot, long nowMs) {
    this.id = id;
    this.token = token;
    this.terms = terms;
    this.receiverIndex = receiverIndex;
    this.slot = slot;
    this.heardMs = nowMs;
  }

  public UUID id() {
    return id;
  }

  public Terms terms() {
    return terms;
  }

  /// What datagrams of this session carry: 24 bits, modulo the loops the number of its event loop.
  public int receiverIndex() {
    return receiverIndex;
  }

  /// Number of its addresses in the pool.
  public int slot() {
    return slot;
  }

  /// What the newest token that the device showed says.
  public SessionToken token() {
    return token.content();
  }

  /// The newest token that the device showed.
  public ShownToken shown() {
    return token;
  }

  void token(ShownToken newer) {
    token = newer;
  }

  /// Something authentic came from the device at that Unix time.
  public void heard(long nowMs) {
    heardMs = nowMs;
  }

  /// When it was heard last, Unix milliseconds.
  public long heardMs() {
    return heardMs;
  }

  @Override
  public String toString() {
    return "session " + id + " of " + token.content().getAccount();
  }
}
