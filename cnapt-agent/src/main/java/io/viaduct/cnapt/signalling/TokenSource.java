package io.viaduct.cnapt.signalling;

/// Where session tokens come from. Methods may be called from any thread and return at once.
public interface TokenSource extends AutoCloseable {
  /// Does what takes time before [#start], which does it otherwise; for a thread of the caller's.
  default void prepare() {}

  /// Begins; the listener hears each ticket, on a thread of the source's.
  void start(TicketListener listener);

  /// The token at hand is of no use: get another one.
  void renew();

  /// The device is somewhere else now.
  void networkChanged();

  /// For people: what the source does.
  SignallingStatus status();

  /// Ends cleanly, waiting two seconds at most.
  @Override
  void close();

  /// Hears of tickets.
  @FunctionalInterface
  interface TicketListener {
    void ticket(SessionTicket ticket);
  }
}
