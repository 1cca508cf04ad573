package io.viaduct.snapt.control;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.KeepAliveWatch;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.control.v1.TokenAccepted;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The SNAPT's side of one control connection, from the TLS handshake to its end. Handles the
/// Hello, then token updates, KeepAlives and Goodbye. [ReceiptKeeper] handles the receipts. The
/// loss of the connection does not end the session. Called on the control thread.
final class ControlConnection extends SimpleChannelInboundHandler<ControlMessage>
    implements ControlLine.Connection, ReceiptDialog.Wire {
  private static final Logger LOG = LoggerFactory.getLogger(ControlConnection.class);
  private static final long NUDGE_MS = 1_000;

  private final ControlServer server;
  private @Nullable ChannelHandlerContext context;
  private byte @Nullable [] exporter;
  private boolean isAdmitted;
  private @Nullable Session session;
  private @Nullable ScheduledFuture<?> helloDue;
  private final KeepAliveWatch watch;
  private long keepAliveNumber;
  private long nudgedMs;
  // Owned by KeepAliveRounds.
  long dueTick;
  private boolean ended;
  // Null if the device signs no receipts.
  private @Nullable ReceiptKeeper receipts;

  ControlConnection(ControlServer server) {
    this.server = server;
    this.watch = new KeepAliveWatch(server.keepAlive().toMillis());
  }

  /// Adds the handlers above TLS to a channel.
  void speak(Channel on) {
    on.pipeline().addLast(new ControlCodec(), this, new ControlDatagrams(on, this));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    helloDue =
        added
            .executor()
            .schedule(
                () -> end(ConnectionEnd.HANDSHAKE_TIMEOUT),
                server.handshakeTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
  }

  /// Returns true after a valid Hello.
  boolean isWelcomed() {
    return session != null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext from, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (!handshake.isSuccess()) {
        server.failedHandshakes().failed(from.channel().remoteAddress(), handshake.cause());
        end(ConnectionEnd.TLS_FAILED);
        return;
      }
      SslHandler tls = from.pipeline().get(SslHandler.class);
      if (!ControlFrame.ALPN.equals(tls.applicationProtocol())) {
        server
            .failedHandshakes()
            .failed(from.channel().remoteAddress(), "it does not ask for " + ControlFrame.ALPN);
        end(ConnectionEnd.ALPN_MISSING);
        return;
      }
      secured(exporter(tls));
    }
    from.fireUserEventTriggered(event);
  }

  /// Stores the keying material of the completed TLS handshake. The device may now send its Hello.
  void secured(byte[] exported) {
    exporter = exported;
  }

  private static byte[] exporter(SslHandler tls) {
    try {
      return ((ExtendedSSLSession) tls.engine().getSession())
          .exportKeyingMaterialData(DeviceProof.EXPORTER_LABEL, null, DeviceProof.EXPORTER_BYTES);
    } catch (SSLException e) {
      throw new IllegalStateException("a finished TLS 1.3 handshake must export", e);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext from, ControlMessage message) {
    byte[] exported = exporter;
    if (ended || exported == null) {
      return;
    }
    Session open = session;
    if (open == null) {
      if (message.hasHello() && !isAdmitted) {
        answer(server.welcomes().answer(message.getHello(), host(from), exported));
      } else {
        end(ConnectionEnd.UNEXPECTED_MESSAGE);
      }
      return;
    }
    open.heard(server.nowMs());
    switch (message.getMessageCase()) {
      case TOKEN_UPDATE -> onTokenUpdate(message.getTokenUpdate());
      case KEEP_ALIVE -> onKeepAlive(message.getKeepAlive());
      case GOODBYE -> onGoodbye(open);
      case RECEIPT_ANSWER -> onReceipt(message.getReceiptAnswer());
      case HELLO,
          WELCOME,
          REFUSAL,
          INTERVAL_BOUNDARY,
          TOKEN_ACCEPTED,
          CREDIT_NOTICE,
          LINE_RATE,
          RELAYS,
          MOVED,
          MESSAGE_NOT_SET ->
          end(ConnectionEnd.UNEXPECTED_MESSAGE);
    }
  }

  private static @Nullable InetAddress host(ChannelHandlerContext of) {
    return of.channel().remoteAddress() instanceof InetSocketAddress from
        ? from.getAddress()
        : null;
  }

  /// Accepts sealed datagrams. A device may send them only after the Welcome.
  void onDatagrams(List<ByteBuf> datagrams, Runnable taken) {
    Session open = session;
    if (open != null && !ended) {
      server.devices().onDatagrams(this, open, datagrams, taken);
      return;
    }
    datagrams.forEach(ByteBuf::release);
    taken.run();
    end(ConnectionEnd.UNEXPECTED_MESSAGE);
  }

  @Override
  public void write(ByteBuf frames, Runnable taken) {
    ChannelHandlerContext to = context;
    if (to == null) {
      throw new IllegalStateException("no connection yet");
    }
    to.channel().writeAndFlush(frames).addListener(_ -> taken.run());
  }

  private void answer(Welcomes.Answer answer) {
    switch (answer) {
      case Welcomes.Answer.Welcomed(Session opened, Welcome welcome) -> {
        isAdmitted = true;
        stopWaiting();
        server.onceCarried(opened, () -> greet(opened, welcome));
      }
      case Welcomes.Answer.Refused(RefusalCode code, String detail) -> refuse(code, detail);
    }
  }

  private void greet(Session opened, Welcome welcome) {
    if (ended) {
      return; // the session waits for another connection
    }
    if (!server.devices().own(this, opened)) {
      goodbye(ConnectionEnd.SESSION_ENDED, "the session has ended before its Welcome");
      return;
    }
    session = opened;
    send(ControlMessage.newBuilder().setWelcome(welcome));
    server.onWelcomed(this, opened);
    if (welcome.getFeaturesList().contains(Feature.RECEIPTS)) {
      receipts = new ReceiptKeeper(this, opened, server.devices().beginReceipts(this, opened));
    }
  }

  private void onTokenUpdate(TokenUpdate update) {
    if (receipts == null || !receipts.holds(update)) {
      take(update);
    }
  }

  /// Accepts a newer token, or refuses it.
  void take(TokenUpdate update) {
    Session open = session;
    byte[] exported = exporter;
    if (open == null || exported == null) {
      throw new IllegalStateException("a token is renewed after the Welcome");
    }
    switch (server.welcomes().verify(update.getToken(), update.getProof(), exported)) {
      case TokenVerifier.Result.Valid(var token) -> {
        if (server.renew(open, token)) {
          send(
              ControlMessage.newBuilder()
                  .setTokenAccepted(
                      TokenAccepted.newBuilder().setExpiresMs(token.content().getExpiresMs())));
        } else {
          refuse(
              RefusalCode.SESSION_ACCOUNT_MISMATCH, "the token is another account's or device's");
        }
      }
      case TokenVerifier.Result.Refused(RefusalCode code, String detail) -> refuse(code, detail);
    }
  }

  private void stopWaiting() {
    if (helloDue != null) {
      helloDue.cancel(false);
      helloDue = null;
    }
  }

  /// Sends a KeepAlive if neither a datagram nor a message came from the device. Called once per
  /// period.
  ///
  /// @return false if the connection has ended
  boolean keepAlive() {
    Session open = session;
    if (ended || open == null) {
      return false;
    }
    switch (watch.ask(server.nowMs() - open.heardMs(), false)) {
      case REST -> {}
      case SEND ->
          send(
              ControlMessage.newBuilder()
                  .setKeepAlive(KeepAlive.newBuilder().setNumber(++keepAliveNumber)));
      case LOST -> end(ConnectionEnd.KEEP_ALIVE_LOST);
    }
    return !ended;
  }

  /// Sends a KeepAlive at once, at most one per second.
  void nudge() {
    long nowMs = server.nowMs();
    if (!ended && session != null && nowMs - nudgedMs >= NUDGE_MS) {
      nudgedMs = nowMs;
      send(
          ControlMessage.newBuilder()
              .setKeepAlive(KeepAlive.newBuilder().setNumber(++keepAliveNumber)));
    }
  }

  private void onKeepAlive(KeepAlive received) {
    if (!received.getReply()) {
      send(
          ControlMessage.newBuilder()
              .setKeepAlive(KeepAlive.newBuilder().setNumber(received.getNumber()).setReply(true)));
    } else if (receipts != null) {
      receipts.alive(received.getNumber());
    }
  }

  /// Returns the number that the next KeepAlive will have.
  long nextKeepAlive() {
    return ++keepAliveNumber;
  }

  // --- receipts

  /// Asks the device for the receipts that it owes from earlier sessions and connections.
  void owed(List<IntervalBoundary> boundaries) {
    if (receipts != null && !ended) {
      receipts.owed(boundaries);
    }
  }

  /// Asks the device for the receipt of an interval that has ended.
  ///
  /// @param of the session of the interval: the present one, or an earlier one of the same device
  /// @param last true if that session ended with this interval
  /// @return true if the device was asked; false if it signs no receipts, or no longer does
  boolean ask(UUID of, List<IntervalBoundary> boundaries, boolean last) {
    if (receipts == null || ended) {
      return false;
    }
    receipts.ask(of, boundaries, last);
    return true;
  }

  @Override
  public void send(IntervalBoundary boundary) {
    send(ControlMessage.newBuilder().setIntervalBoundary(boundary));
  }

  /// Tells the device something.
  void tell(ControlMessage.Builder message) {
    if (!ended) {
      send(message);
    }
  }

  /// Tells the device about SNAPTs, if it knows the message.
  ///
  /// @param signed for a device that believes only the bridge about other SNAPTs
  void tell(RelayList list, RelayList signed) {
    Session open = session;
    if (ended || open == null || !open.terms().features().contains(Feature.RELAY_LISTS)) {
      return;
    }
    boolean wantsSigned = open.terms().features().contains(Feature.SIGNED_DIRECTORIES);
    send(ControlMessage.newBuilder().setRelays(wantsSigned ? signed : list));
  }

  /// Returns whether the device knows hand-overs, and is connected.
  boolean knowsMoves() {
    Session open = session;
    return !ended && open != null && open.terms().features().contains(Feature.MOVES);
  }

  /// Tells the device about a hand-over. @return false if it does not know the message
  boolean tell(Moved moved) {
    if (!knowsMoves()) {
      return false;
    }
    send(ControlMessage.newBuilder().setMoved(moved));
    return true;
  }

  @Override
  public void count(ReceiptOutcome outcome) {
    server.receiptOutcomes().count(outcome);
  }

  private void onReceipt(ReceiptAnswer answer) {
    try {
      if (receipts == null) {
        end(ConnectionEnd.UNEXPECTED_MESSAGE);
      } else {
        receipts.answered(answer);
      }
    } catch (InvalidProtocolBufferException _) {
      end(ConnectionEnd.UNEXPECTED_MESSAGE);
    }
  }

  private void onGoodbye(Session open) {
    leaves(SessionEnd.GOODBYE.name());
    server.onGoodbye(open);
  }

  /// Ends the session because the device does not sign.
  void cut(Session open) {
    server.cut(open);
  }

  /// Says that the session ends, and closes. A signing device may sign its last interval before.
  /// The caller ends the session next.
  void leaves(String reason) {
    if (receipts == null) {
      goodbye(reason);
    } else {
      receipts.leaves(reason);
    }
  }

  /// Says that the session has ended, and closes.
  void goodbye(String reason) {
    goodbye(ConnectionEnd.SESSION_ENDED, reason);
  }

  /// Returns true if the session ends and the device may still sign.
  boolean isLeaving() {
    return receipts != null && receipts.isLeaving() && !ended;
  }

  boolean hasEnded() {
    return ended;
  }

  /// Schedules work on the control thread.
  void later(long delay, TimeUnit unit, Runnable work) {
    ChannelHandlerContext on = context;
    if (on != null) {
      var scheduled = on.executor().schedule(work, delay, unit);
      LOG.trace("receipts are due: {}", scheduled);
    }
  }

  /// Sends a Refusal and closes.
  void refuse(RefusalCode code, String detail) {
    server.refusals().count(code);
    LOG.info("refused: {} {}", code, detail);
    end(
        ConnectionEnd.REFUSED,
        ControlMessage.newBuilder()
            .setRefusal(Refusal.newBuilder().setCode(code).setDetail(detail)));
  }

  void send(ControlMessage.Builder message) {
    if (context != null && !ended) {
      context.writeAndFlush(message.build());
    }
  }

  /// Sends a Goodbye and closes.
  void goodbye(ConnectionEnd why, String reason) {
    end(why, ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason(reason)));
  }

  private void end(ConnectionEnd why, ControlMessage.Builder last) {
    ChannelHandlerContext to = context;
    if (ended || to == null) {
      return;
    }
    finish(why);
    to.writeAndFlush(last.build()).addListener(ChannelFutureListener.CLOSE);
  }

  /// Closes without a message.
  void end(ConnectionEnd why) {
    if (!ended) {
      finish(why);
      if (context != null) {
        context.close();
      }
    }
  }

  private void finish(ConnectionEnd why) {
    ended = true;
    server.ends().count(why);
    stopWaiting();
    server.devices().onClosed(this, session);
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    if (!ended) {
      finish(exporter == null ? ConnectionEnd.TLS_FAILED : ConnectionEnd.CLOSED_BY_PEER);
    }
    from.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
    ConnectionEnd why = ConnectionEnd.of(cause);
    if (why == null) {
      LOG.error("control connection ended by an internal error", cause);
    }
    end(why == null ? ConnectionEnd.UNEXPECTED_MESSAGE : why);
  }
}
