package io.viaduct.snapt.binding;

import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.usage.v1.SessionToken;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The session of one device: the terms that were agreed at its start, and its newest token.
///
/// Only the control thread writes it. The exception is [#heard], which the session's event loop
/// calls.
public final class Session {
  /// Time, in ms, for which a session carries after its token: it begins with the device's first
  /// sign of life after the token's expiry, once per token. Long enough for a registration and a
  /// new token on a slow link.
  public static final long GRACE_MS = 5_000;

  private final UUID id;
  private final Terms terms;
  private final int receiverIndex;
  private final PublicAddress address;
  private final int slot;
  private final @Nullable Arrival arrival;
  private boolean passedOn; // used by the control thread
  private volatile ShownToken token;
  private volatile long heardMs;
  private volatile long wokenMs = Long.MIN_VALUE; // counts only if it is after the token's expiry

  /// The terms that the device requested and the SNAPT accepted.
  ///
  /// @param tunnel parameters of the tunnel; their secret is wiped after the tunnel has derived its
  ///   keys
  /// @param applications application names of the device's classification, by index
  /// @param software name and version of the device's software, as the device reports it
  /// @param features optional abilities of the agent that concern the control connection
  /// @param from address of the control connection that has opened the session; null if it is not
  ///   known
  public record Terms(
      TunnelTerms tunnel,
      InnerAddresses inner,
      List<String> applications,
      String software,
      Set<Feature> features,
      @Nullable InetAddress from) {
    public Terms {
      applications = List.copyOf(applications);
      features = Set.copyOf(features);
    }

    /// Returns true if the agent signs receipts.
    public boolean receipts() {
      return features.contains(Feature.RECEIPTS);
    }
  }

  /// @param slot of the address in this SNAPT's pool, −1 if it is another one's
  /// @param arrival the hand-over by which the session has its address, null for none
  Session(
      UUID id,
      ShownToken token,
      Terms terms,
      int receiverIndex,
      PublicAddress address,
      int slot,
      @Nullable Arrival arrival,
      long nowMs) {
    this.id = id;
    this.token = token;
    this.terms = terms;
    this.receiverIndex = receiverIndex;
    this.address = address;
    this.slot = slot;
    this.arrival = arrival;
    this.heardMs = nowMs;
  }

  public UUID id() {
    return id;
  }

  public Terms terms() {
    return terms;
  }

  /// Returns the receiver index in the session's datagrams, 24 bits. Modulo the number of loops, it
  /// is the number of the session's event loop.
  public int receiverIndex() {
    return receiverIndex;
  }

  /// Returns the session's address on the Internet side.
  public PublicAddress address() {
    return address;
  }

  /// Returns the hand-over by which the session has its address, null for none.
  public @Nullable Arrival arrival() {
    return arrival;
  }

  /// Notes whether another SNAPT takes the session's address over.
  void passOn(boolean now) {
    passedOn = now;
  }

  boolean isPassedOn() {
    return passedOn;
  }

  /// Returns the number of the session's addresses in the pool, −1 if another SNAPT assigns them.
  public int slot() {
    return slot;
  }

  /// Returns the content of the newest token that the device has shown.
  public SessionToken token() {
    return token.content();
  }

  /// Returns the newest token that the device has shown, with its signature.
  public ShownToken shown() {
    return token;
  }

  void token(ShownToken newer) {
    token = newer;
  }

  /// Records that an authentic message came from the device at this Unix time, in ms.
  public void heard(long nowMs) {
    heardMs = nowMs;
    long expiresMs = token().getExpiresMs();
    if (nowMs >= expiresMs && wokenMs < expiresMs) {
      wokenMs = nowMs;
    }
  }

  /// Returns true if packets of the session may be carried: its token is valid, or its device has
  /// given the first sign of life after the expiry less than [#GRACE_MS] ago.
  public boolean mayCarry(long nowMs) {
    long expiresMs = token().getExpiresMs();
    long woken = wokenMs;
    return nowMs < expiresMs || (woken >= expiresMs && nowMs < woken + GRACE_MS);
  }

  /// Returns true if the token has expired and the device has been silent since. Such a session
  /// carries nothing.
  public boolean isAsleep(long nowMs) {
    long expiresMs = token().getExpiresMs();
    return nowMs >= expiresMs && wokenMs < expiresMs;
  }

  /// Returns true if the device has had its grace and has shown no newer token.
  boolean isOverdue(long nowMs) {
    return !mayCarry(nowMs) && !isAsleep(nowMs);
  }

  /// Returns the time of the last authentic message from the device, in Unix milliseconds.
  public long heardMs() {
    return heardMs;
  }

  @Override
  public String toString() {
    return "session " + id + " of " + token.content().getAccount();
  }
}
