package io.viaduct.snapt.control;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.KeepAliveWatch;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.TokenAccepted;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.session.ControlLine;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One control connection, from its TLS handshake to its end: Hello first, then whatever keeps the
/// session going. Its loss does not end the session. Called on the control thread.
final class ControlConnection extends SimpleChannelInboundHandler<ControlMessage>
    implements ControlLine.Connection, ReceiptDialog.Wire {
  private static final Logger log = LoggerFactory.getLogger(ControlConnection.class);

  // A device answers at once; if packets of the interval are still under way, after a second.
  private static final long ANSWER_MS = 2_000;

  private final ControlServer server;
  private @Nullable ChannelHandlerContext context;
  private byte @Nullable [] exporter;
  private @Nullable Session session;
  private @Nullable ScheduledFuture<?> helloDue;
  private final KeepAliveWatch watch;
  private long keepAliveNumber;
  // Of the KeepAliveRounds.
  long dueTick;
  private boolean ended;
  private @Nullable ReceiptDialog receipts;
  // A newer token that came before the device had signed what it owes.
  private @Nullable TokenUpdate held;
  private long dueNumber;
  private ReceiptDialog.@Nullable Interval due;
  private boolean leaving;
  private boolean lastAsked;

  ControlConnection(ControlServer server) {
    this.server = server;
    this.watch = new KeepAliveWatch(server.keepAlive().toMillis());
  }

  /// What is above TLS on a channel.
  void speak(Channel on) {
    on.pipeline().addLast(new ControlFrames(), this, new ControlDatagrams(on, this));
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

  /// Whether a valid Hello came.
  boolean welcomed() {
    return session != null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext from, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (!handshake.isSuccess()) {
        end(ConnectionEnd.TLS_FAILED);
        return;
      }
      SslHandler tls = from.pipeline().get(SslHandler.class);
      if (!ControlFrame.ALPN.equals(tls.applicationProtocol())) {
        end(ConnectionEnd.ALPN_MISSING);
        return;
      }
      secured(exporter(tls));
    }
    from.fireUserEventTriggered(event);
  }

  /// TLS stands, and this is its keying material: a Hello may come.
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
      if (message.hasHello()) {
        answer(server.welcome(this, message.getHello(), exported, from.channel().remoteAddress()));
      } else {
        end(ConnectionEnd.UNEXPECTED_MESSAGE);
      }
      return;
    }
    open.heard(server.nowMs());
    switch (message.getMessageCase()) {
      case TOKEN_UPDATE -> onTokenUpdate(open, message.getTokenUpdate(), exported);
      case KEEP_ALIVE -> onKeepAlive(open, message.getKeepAlive());
      case GOODBYE -> onGoodbye(open);
      case RECEIPT_ANSWER -> onReceipt(open, message.getReceiptAnswer(), exported);
      case HELLO,
          WELCOME,
          REFUSAL,
          INTERVAL_BOUNDARY,
          TOKEN_ACCEPTED,
          RELAY_LIST,
          MESSAGE_NOT_SET ->
          end(ConnectionEnd.UNEXPECTED_MESSAGE);
    }
  }

  /// Sealed datagrams have come; only a connection that was welcomed may bring any.
  void onDatagrams(List<ByteBuf> datagrams, Runnable taken) {
    Session open = session;
    if (open != null && !ended) {
      server.onDatagrams(this, open, datagrams, taken);
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

  private void answer(ControlServer.Answer answer) {
    switch (answer) {
      case ControlServer.Answer.Welcomed(Session opened, Welcome welcome) -> {
        session = opened;
        stopWaiting();
        send(ControlMessage.newBuilder().setWelcome(welcome));
        server.onWelcomed(this, opened);
        server.watch(this);
        if (welcome.getFeaturesList().contains(Feature.RECEIPTS)) {
          receipts = server.beginReceipts(this, opened);
        }
      }
      case ControlServer.Answer.Refused(RefusalCode code, String detail) -> refuse(code, detail);
    }
  }

  private void onTokenUpdate(Session open, TokenUpdate update, byte[] exported) {
    if (receipts != null && !receipts.isSettled()) {
      held = update;
    } else {
      answer(open, update, exported);
    }
  }

  private void answer(Session open, TokenUpdate update, byte[] exported) {
    switch (server.verify(update.getToken(), update.getProof(), exported)) {
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

  /// Once per period: asks a device that has been silent on every way, by datagrams too.
  ///
  /// @return false if the connection has ended
  boolean keepAlive() {
    Session open = session;
    if (ended || open == null) {
      return false;
    }
    switch (watch.ask(server.nowMs() - open.heardMs())) {
      case REST -> {}
      case SEND ->
          send(
              ControlMessage.newBuilder()
                  .setKeepAlive(KeepAlive.newBuilder().setNumber(++keepAliveNumber)));
      case LOST -> end(ConnectionEnd.KEEP_ALIVE_LOST);
    }
    return !ended;
  }

  private void onKeepAlive(Session open, KeepAlive received) {
    ReceiptDialog dialog = receipts;
    ReceiptDialog.Interval asked = due;
    if (received.getReply()
        && dialog != null
        && asked != null
        && received.getNumber() == dueNumber) {
      due = null;
      dialog.due(asked);
      settle(open, dialog);
    }
    if (!received.getReply()) { // else: that it came is all that an answer says
      send(
          ControlMessage.newBuilder()
              .setKeepAlive(KeepAlive.newBuilder().setNumber(received.getNumber()).setReply(true)));
    }
  }

  // --- receipts

  /// What the device owes from earlier sessions and connections.
  void owed(List<IntervalBoundary> boundaries) {
    Session open = session;
    ReceiptDialog dialog = receipts;
    if (open != null && dialog != null && !ended) {
      dialog.owed(boundaries);
      settle(open, dialog);
    }
  }

  /// An interval has ended: the device is asked to sign it.
  ///
  /// @param of the interval's session: this one's, or an earlier one of the same device
  /// @param last whether that session ended with it
  /// @return whether it is asked; false if this device signs nothing, or not any more
  boolean ask(UUID of, List<IntervalBoundary> boundaries, boolean last) {
    Session open = session;
    ReceiptDialog dialog = receipts;
    if (open == null || dialog == null || ended) {
      return false;
    }
    ReceiptDialog.Interval asked = dialog.ask(of.toString(), boundaries);
    if (of.equals(open.id())) {
      lastAsked |= last;
      if (!boundaries.isEmpty()) {
        later(() -> askWhetherItIsThere(asked));
      }
    }
    settle(open, dialog);
    return true;
  }

  @Override
  public void send(IntervalBoundary boundary) {
    send(ControlMessage.newBuilder().setIntervalBoundary(boundary));
  }

  @Override
  public void count(ReceiptOutcome outcome) {
    server.receiptOutcomes().count(outcome);
  }

  // The answer comes after the answers to all that was asked before.
  private void askWhetherItIsThere(ReceiptDialog.Interval asked) {
    ReceiptDialog dialog = receipts;
    if (dialog != null && !dialog.isSettled() && !ended) {
      due = asked;
      dueNumber = ++keepAliveNumber;
      send(ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(dueNumber)));
    }
  }

  private void onReceipt(Session open, ReceiptAnswer answer, byte[] exported) {
    ReceiptDialog dialog = receipts;
    if (dialog == null) {
      end(ConnectionEnd.UNEXPECTED_MESSAGE);
      return;
    }
    try {
      dialog.answer(answer);
    } catch (InvalidProtocolBufferException _) {
      end(ConnectionEnd.UNEXPECTED_MESSAGE);
      return;
    }
    settle(open, dialog);
    TokenUpdate update = held;
    if (update != null && dialog.isSettled() && !ended) {
      held = null;
      answer(open, update, exported);
    }
  }

  private void settle(Session open, ReceiptDialog dialog) {
    String owed = dialog.takeOwed();
    if (!owed.isEmpty()) {
      log.info("{}: its device has answered for earlier sessions: {}", open, owed);
    }
    if (dialog.isExhausted() && !leaving) {
      refuse(
          RefusalCode.RECEIPTS_OWED,
          ReceiptDialog.UNSIGNED_MAX + " intervals in a row are not signed: " + dialog.why());
      server.cut(open);
    } else if (leaving && lastAsked && dialog.isSettled()) {
      goodbye(ConnectionEnd.SESSION_ENDED, SessionEnd.GOODBYE.name());
    }
  }

  // A device that signs is asked for its last interval before the connection closes.
  private void onGoodbye(Session open) {
    leaving = receipts != null;
    if (leaving) {
      later(() -> goodbye(ConnectionEnd.SESSION_ENDED, SessionEnd.GOODBYE.name()));
    }
    server.onGoodbye(open);
  }

  /// Whether the device has said Goodbye and may still sign.
  boolean isLeaving() {
    return leaving && !ended;
  }

  private void later(Runnable work) {
    ChannelHandlerContext on = context;
    if (on != null) {
      var scheduled = on.executor().schedule(work, ANSWER_MS, TimeUnit.MILLISECONDS);
      log.trace("receipts are due: {}", scheduled);
    }
  }

  private void refuse(RefusalCode code, String detail) {
    server.refusals().count(code);
    log.info("refused: {} {}", code, detail);
    end(
        ConnectionEnd.REFUSED,
        ControlMessage.newBuilder()
            .setRefusal(Refusal.newBuilder().setCode(code).setDetail(detail)));
  }

  private void send(ControlMessage.Builder message) {
    if (context != null && !ended) {
      context.writeAndFlush(message.build());
    }
  }

  /// Says Goodbye and closes.
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

  /// Closes without a word.
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
    server.onClosed(this, session);
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
    Throwable why =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    if (why instanceof MalformedFrameException) {
      end(ConnectionEnd.FRAME_MALFORMED);
    } else if (why instanceof SSLException) {
      end(ConnectionEnd.TLS_FAILED);
    } else if (why instanceof java.io.IOException) {
      end(ConnectionEnd.CLOSED_BY_PEER);
    } else {
      log.error("control connection ended by a fault of our own", cause);
      end(ConnectionEnd.UNEXPECTED_MESSAGE);
    }
  }
}
