package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.service.logging.PeerText;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// The agent's side of the dialog on one control connection (docs/protocol.md section 5). Sends the
/// Hello, handles Welcome or Refusal, and then handles KeepAlives, tokens and lists until one end
/// closes. Owner: the control event loop.
final class ControlDialog implements ControlConnection.Owner {
  /// The owner of the dialog; called on the control event loop.
  interface Owner {
    void welcomed(Welcomed welcomed);

    /// Called for a Refusal. The dialog ends right after.
    ///
    /// @param words the code and the text of the Refusal
    void refused(RefusalCode code, String words);

    /// Called when the session has ended. The dialog ends right after.
    void goodbye(ControlDialog by);

    /// Returns the listener to what concerns the tunnel, and not the connection.
    ControlListener listener();

    /// Called for the list of a Welcome, and for each later one.
    ///
    /// @param complete true if the list has all SNAPTs
    ///
    /// @param signed the bridge's directory; empty if the SNAPT has sent none
    void relays(List<Relay> listed, boolean complete, ByteString signed);

    /// Returns whether only the bridge is believed about other SNAPTs.
    boolean believesBridge();

    /// Called when another SNAPT has been prepared to take the session over.
    void moved(ControlDialog by, Moved moved);

    /// Called when another SNAPT has taken the session over.
    ///
    /// @param number of the hand-over
    void moveDone(ControlDialog by, long number);

    /// Called when a SNAPT has not said in time that its hand-over is done.
    void moveUndecided(ControlDialog by);

    /// Called last, when the dialog has ended for any reason but [ControlDialog#leave] and
    /// [ControlDialog#drop].
    void ended(ControlDialog dialog, ControlFailure why, String detail);
  }

  private static final long LAST_RECEIPT_MS = 1_000;

  // A SNAPT that has handed the session over says earlier that it is done, unless it waits for the
  // outcome.
  private static final long DONE_MS_MAX = 5_000;

  private final EventLoop loop;
  private final ControlSettings settings;
  private final Greeting greeting;
  private final ShownToken token;
  private final Resumption resumption;
  private final @Nullable ReceiptLedger ledger;
  private final Owner owner;
  private final OneShotTimer timer; // for the Welcome, then for KeepAlives, at last for the end
  private final KeepAlives keepAlives;
  private @Nullable BoundaryAnswers boundaries;
  private @Nullable Runnable left;
  private @Nullable ControlConnection connection;
  private boolean established;

  /// @param resumption session that the Hello asks to resume
  /// @param ledger signs receipts; null if this end signs none
  ControlDialog(
      EventLoop loop,
      ControlSettings settings,
      Greeting greeting,
      ShownToken token,
      Resumption resumption,
      @Nullable ReceiptLedger ledger,
      Owner owner) {
    this.loop = loop;
    this.settings = settings;
    this.greeting = greeting;
    this.token = token;
    this.resumption = resumption;
    this.ledger = ledger;
    this.owner = owner;
    this.timer = new OneShotTimer(loop);
    this.keepAlives =
        new KeepAlives(loop.ticker(), timer, settings, owner.listener()::carriedBytes);
  }

  /// Starts to connect.
  void begin(ControlConnection over) {
    connection = over;
    long timeoutMs = settings.connectTimeout().toMillis();
    timer.after(
        timeoutMs,
        () -> over.close(ControlFailure.CONNECT_TIMEOUT, "no Welcome in " + timeoutMs + " ms"));
    over.connect();
  }

  /// Returns true after the Welcome.
  boolean isEstablished() {
    return established;
  }

  /// Sets a newer token. After the Welcome it is sent at once, otherwise in the Hello or right
  /// after it.
  void present(byte[] newer) {
    token.renew(newer);
    ControlConnection open = connection;
    if (established && open != null) {
      token.showTo(open);
    }
  }

  @Override
  public void opened(ControlConnection opened, SSLSession session) throws SSLException {
    opened.send(
        ControlMessage.newBuilder()
            .setHello(
                greeting.hello(
                    token.forHello(), token.proof(session), resumption, owner.believesBridge()))
            .build());
  }

  @Override
  public void received(ControlConnection from, ControlMessage message) {
    keepAlives.heard();
    switch (message.getMessageCase()) {
      case WELCOME -> welcome(from, message.getWelcome());
      case REFUSAL -> refused(from, message.getRefusal());
      case KEEP_ALIVE -> keepAlives.received(from, message.getKeepAlive());
      case TOKEN_ACCEPTED ->
          owner.listener().tokenAccepted(message.getTokenAccepted().getExpiresMs());
      case INTERVAL_BOUNDARY -> boundary(message.getIntervalBoundary());
      case CREDIT_NOTICE -> owner.listener().credit(message.getCreditNotice());
      case LINE_RATE -> owner.listener().lineRate(message.getLineRate());
      case RELAYS -> relays(from, message.getRelays());
      case MOVED -> moved(from, message.getMoved());
      case GOODBYE -> {
        if (left == null) {
          owner.goodbye(this);
        }
        String words = PeerText.printable(message.getGoodbye().getReason());
        from.close(ControlFailure.GOODBYE, "the SNAPT says goodbye: " + words);
      }
      case HELLO, TOKEN_UPDATE, RECEIPT_ANSWER, MESSAGE_NOT_SET ->
          from.close(
              ControlFailure.MALFORMED, message.getMessageCase() + " must not be sent to a device");
    }
  }

  @Override
  public void datagrams(ControlConnection from, List<ByteBuf> datagrams, Runnable taken) {
    if (established) {
      owner.listener().datagrams(datagrams, taken);
    } else {
      datagrams.forEach(ByteBuf::release);
      from.close(ControlFailure.MALFORMED, "datagrams before Welcome");
    }
  }

  // A SNAPT of the previous version sends boundaries without counts, and expects no answer.
  private void boundary(IntervalBoundary boundary) {
    BoundaryAnswers answers = boundaries;
    if (answers != null) {
      answers.boundary(boundary);
    }
  }

  private void welcome(ControlConnection from, Welcome welcome) {
    String wrong =
        established ? "Welcome a second time" : greeting.wrongWith(welcome, resumption.sessionId());
    if (!wrong.isEmpty()) {
      from.close(ControlFailure.MALFORMED, wrong);
      return;
    }
    Snapt snapt = from.snapt();
    if (!snapt.id().isEmpty() && !snapt.id().equals(welcome.getSnaptId())) {
      from.close(
          ControlFailure.SNAPT_ID_MISMATCH,
          "%s has sent the id '%s' in its Welcome"
              .formatted(snapt, PeerText.printable(welcome.getSnaptId())));
      return;
    }
    established = true;
    keepAlives.watch(from);
    owner.welcomed(
        new Welcomed(
            snapt,
            Remotes.of(new InetSocketAddress(from.remote().getAddress(), welcome.getDataPort())),
            welcome,
            resumption.receiverIndex(),
            from));
    ReceiptLedger signing = ledger;
    if (signing != null && welcome.getFeaturesList().contains(Feature.RECEIPTS)) {
      boundaries =
          new BoundaryAnswers(loop, signing, from, welcome.getSnaptId(), welcome.getSessionId());
    }
    if (left != null) {
      return; // the owner has not kept the session
    }
    owner.relays(welcome.getRelaysList(), true, welcome.getSignedDirectory());
    token.showTo(from);
  }

  private void relays(ControlConnection from, RelayList list) {
    if (left != null) {
      return; // its session is over
    }
    if (established) {
      owner.relays(list.getRelaysList(), list.getComplete(), list.getSignedDirectory());
    } else {
      from.close(ControlFailure.MALFORMED, "RELAYS before Welcome");
    }
  }

  private void moved(ControlConnection from, Moved moved) {
    if (!established) {
      from.close(ControlFailure.MALFORMED, "MOVED before Welcome");
    } else if (moved.getDone()) {
      owner.moveDone(this, moved.getNumber());
    } else if (left == null) {
      owner.moved(this, moved);
    }
  }

  /// Waits until the SNAPT says that it has handed the session over; the owner then leaves, or goes
  /// on with [#stay]. Until then the connection carries what is under way.
  ///
  /// @param lost run when the connection has ended before
  void linger(Runnable lost) {
    left = lost;
    timer.after(DONE_MS_MAX, () -> owner.moveUndecided(this));
  }

  /// Goes on with the session after [#linger], and asks the SNAPT for a sign of life.
  void stay() {
    left = null;
    check();
  }

  private void refused(ControlConnection from, Refusal refusal) {
    String detail = PeerText.printable(refusal.getDetail());
    String words = refusal.getCode() + (detail.isEmpty() ? "" : ": " + detail);
    owner.refused(refusal.getCode(), words);
    from.close(ControlFailure.REFUSED, words);
  }

  /// Returns whether the connection can go on by one of these links.
  boolean isHeldBy(List<UsableLink> links) {
    ControlConnection open = connection;
    return open == null || open.isHeldBy(links);
  }

  /// Returns whether the connection is bound to the link with this name, and leads to the place.
  boolean isBy(String linkName, Remote remote) {
    ControlConnection open = connection;
    return open != null && open.isBy(linkName, remote);
  }

  /// Finds out whether the connection has survived the absence of its link: an answer must come in
  /// the time that a new connection may take.
  void check() {
    ControlConnection open = connection;
    if (established && open != null) {
      keepAlives.check(open);
    }
  }

  @Override
  public void ended(ControlConnection closed, ControlFailure why, String detail) {
    timer.stop();
    Runnable then = left;
    if (then == null) {
      owner.ended(this, why, detail);
    } else {
      then.run();
    }
  }

  /// Closes the connection without a message, and calls the owner with the reason.
  void close(ControlFailure why, String detail) {
    ControlConnection open = connection;
    if (open != null) {
      open.close(why, detail);
    }
  }

  /// Closes the connection without a message, and without a call to the owner.
  void drop(String reason) {
    timer.stop();
    left = () -> {};
    close(ControlFailure.CLOSED, reason);
  }

  /// Sends Goodbye and closes the connection, without a call to the owner. A SNAPT that accepts
  /// receipts has one second to ask for the last one and to close.
  ///
  /// @param then run when the connection has ended
  void leave(String reason, Runnable then) {
    timer.stop();
    ControlConnection open = connection;
    if (open == null) {
      then.run();
      return;
    }
    left = then;
    ControlMessage goodbye =
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason(reason)).build();
    if (boundaries == null) {
      open.closeAfter(goodbye);
      then.run();
    } else {
      open.send(goodbye);
      timer.after(LAST_RECEIPT_MS, () -> open.close(ControlFailure.CLOSED, reason));
    }
  }
}
