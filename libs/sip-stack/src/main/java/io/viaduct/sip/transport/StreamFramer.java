package io.viaduct.sip.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Splits a stream into messages by Content-Length (RFC 3261 section 18.3). The connection ends
/// after a refused head, because the start of the next message is unknown. It also ends when a
/// message is not complete in time, so that a peer cannot hold it by sending a byte now and then.
final class StreamFramer extends ByteToMessageDecoder {
  private static final String PING = "\r\n\r\n";

  /// Most pings of one read that are answered: one answer is enough for a client.
  private static final int PINGS_AT_ONCE = 16;

  private final Transport transport;
  private final MessageGuard guard;
  private final Receiver receiver;
  private final Duration timeout;
  private MessageGuard.Head.@Nullable Good head;
  private int scanned;
  private int pingBytes; // of a ping, received so far
  private boolean isForeign;
  private @Nullable Future<?> deadline;

  /// Makes a framer for one connection.
  ///
  /// @param timeout from the first byte of a message to its last
  StreamFramer(Transport transport, MessageGuard guard, Receiver receiver, Duration timeout) {
    this.transport = transport;
    this.guard = guard;
    this.receiver = receiver;
    this.timeout = timeout;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    SipFlow flow = new SipFlow(transport, (InetSocketAddress) context.channel().remoteAddress());
    while (in.isReadable() && context.channel().isActive()) {
      boolean progress = head == null ? readHead(context, in, flow) : readBody(in, flow);
      if (!progress) {
        break;
      }
      if (head == null) {
        watch(context, false); // the next message has a deadline of its own
        context.fireUserEventTriggered(FirstMessageDeadline.Received.WHOLE_MESSAGE);
      }
    }
    watch(context, in.isReadable() || head != null);
  }

  /// Counts an incomplete message when the connection ends.
  @Override
  protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    boolean unfinished = deadline != null;
    watch(context, false);
    if (unfinished) {
      receiver.onRefused(Refusal.UNFINISHED);
    }
  }

  private void watch(ChannelHandlerContext context, boolean begun) {
    if (!begun && deadline != null) {
      deadline.cancel(false);
      deadline = null;
    } else if (begun && deadline == null && context.channel().isActive()) {
      Runnable end = context::close;
      deadline = context.executor().schedule(end, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private boolean readHead(ChannelHandlerContext context, ByteBuf in, SipFlow flow) {
    if (scanned == 0) {
      skipLineEnds(in, flow);
    }
    int length = endOfHead(in);
    if (length < 0) {
      if (isForeign) {
        refuse(context, in, new Verdict.Refused(Refusal.CONTROL_CHARACTER, null), flow);
      } else if (in.readableBytes() > guard.limits().headBytes()) {
        byte[] begun = ByteBufUtil.getBytes(in);
        refuse(context, in, guard.tooLong(Refusal.HEAD_TOO_LONG, begun).refused(), flow);
      }
      return false;
    }
    scanned = 0;
    byte[] bytes = ByteBufUtil.getBytes(in, in.readerIndex(), length);
    in.skipBytes(length);
    switch (guard.streamHead(bytes, length)) {
      case MessageGuard.Head.Bad(Verdict.Refused refused) -> refuse(context, in, refused, flow);
      case MessageGuard.Head.Good good when good.bodyLength() == 0 ->
          receiver.onVerdict(new Verdict.Accepted(good.message(SipBody.EMPTY)), flow);
      case MessageGuard.Head.Good good -> head = good;
    }
    return true;
  }

  private boolean readBody(ByteBuf in, SipFlow flow) {
    MessageGuard.Head.Good waiting = java.util.Objects.requireNonNull(head);
    if (in.readableBytes() < waiting.bodyLength()) {
      return false;
    }
    byte[] body = new byte[waiting.bodyLength()];
    in.readBytes(body);
    head = null;
    receiver.onVerdict(new Verdict.Accepted(waiting.message(SipBody.of(body))), flow);
    return true;
  }

  /// Skips line ends before a message. Each two of them are a ping (RFC 5626 section 4.4.1),
  /// however TCP has cut them. A line end that is left over is ignored as RFC 3261 section 7.5
  /// demands.
  private void skipLineEnds(ByteBuf in, SipFlow flow) {
    int pings = 0;
    while (in.isReadable()) {
      byte next = in.getByte(in.readerIndex());
      if (next != '\r' && next != '\n') {
        pingBytes = 0; // a message begins
        return;
      }
      in.skipBytes(1);
      if (next == PING.charAt(pingBytes)) {
        pingBytes++;
      } else {
        pingBytes = next == '\r' ? 1 : 0;
      }
      if (pingBytes == PING.length()) {
        pingBytes = 0;
        if (pings++ < PINGS_AT_ONCE) {
          receiver.onVerdict(new Verdict.KeepAlive(), flow);
        }
      }
    }
  }

  private int endOfHead(ByteBuf in) {
    int start = in.readerIndex();
    for (int i = scanned; i < in.readableBytes() && !isForeign; i++) {
      isForeign =
          MessageGuard.isForeign(i == 0 ? 0 : in.getByte(start + i - 1), in.getByte(start + i));
    }
    for (int i = Math.max(scanned - 3, 0); i + 4 <= in.readableBytes(); i++) {
      if (in.getInt(start + i) == 0x0d0a0d0a) {
        return i + 4;
      }
    }
    scanned = in.readableBytes();
    return -1;
  }

  private void refuse(
      ChannelHandlerContext context, ByteBuf in, Verdict.Refused refused, SipFlow flow) {
    in.skipBytes(in.readableBytes());
    receiver.onVerdict(refused, flow);
    context.close();
  }
}
