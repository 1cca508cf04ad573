package io.viaduct.controlbench;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Verdict;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.stun.TransactionId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The UDP socket of one device: an address and a port of its own, with the client transactions of
/// its requests (RFC 3261 section 17.1.2), STUN requests (RFC 8489 section 6.2.1) and the answers
/// to what comes. It stands in for the SIP stack of an agent, which has a thread and megabytes of
/// its own. Confined to the event loop, which many devices share.
final class DeviceSocket extends SimpleChannelInboundHandler<DatagramPacket>
    implements RequestSender {
  private static final long T1_MS = 500;
  private static final long T2_MS = 4_000;
  private static final long TIMEOUT_MS = 64 * T1_MS;
  private static final int STUN_SENDS = 4;
  private static final int UNAVAILABLE = 503;

  private final EventLoop loop;
  private final MessageGuard guard;
  private final HostPort address;
  private final FleetCounts counts;
  private final Map<String, CompletableFuture<SipResponse>> requests = new HashMap<>();
  private final Map<TransactionId, CompletableFuture<StunMessage.Success>> questions =
      new HashMap<>();
  private @Nullable RequestHandler handler;
  private @Nullable EpollDatagramChannel channel;
  private String answeredKey = "";
  private byte[] answeredBytes = {};

  DeviceSocket(EventLoop loop, MessageGuard guard, HostPort address, FleetCounts counts) {
    this.loop = loop;
    this.guard = guard;
    this.address = address;
    this.counts = counts;
  }

  /// Begins to receive.
  void open(EpollDatagramChannel bound, RequestHandler requestHandler) {
    channel = bound;
    handler = requestHandler;
  }

  @Override
  public CompletableFuture<SipResponse> send(SipRequest request, SipFlow target, String mark) {
    String branch = "z9hG4bK" + SipEndpoint.token() + mark;
    String via = "SIP/2.0/UDP %s;branch=%s;rport".formatted(address, branch);
    byte[] bytes = request.withHeaders(request.headers().withFirst("Via", via)).encode();
    CompletableFuture<SipResponse> answer = new CompletableFuture<>();
    requests.put(branch, answer);
    repeat(bytes, target, answer, T1_MS, TIMEOUT_MS);
    return answer.whenComplete((_, _) -> requests.remove(branch));
  }

  private void repeat(
      byte[] bytes, SipFlow target, CompletableFuture<?> answer, long pauseMs, long leftMs) {
    if (answer.isDone()) {
      return;
    }
    if (leftMs <= 0) {
      counts.unanswered++;
      answer.completeExceptionally(
          new SipException(SipException.Reason.TIMEOUT, "no answer from " + target));
      return;
    }
    counts.sent(leftMs < TIMEOUT_MS);
    write(bytes, target);
    long nextMs = Math.min(pauseMs, leftMs);
    later(
        nextMs,
        answer,
        () -> repeat(bytes, target, answer, Math.min(T2_MS, 2 * pauseMs), leftMs - nextMs));
  }

  @Override
  public CompletableFuture<StunMessage.Success> keepAlive(SipFlow target) {
    TransactionId id = TransactionId.random(ThreadLocalRandom.current());
    CompletableFuture<StunMessage.Success> answer = new CompletableFuture<>();
    questions.put(id, answer);
    ask(StunMessage.request(id, false), target, answer, 0);
    return answer.whenComplete((_, _) -> questions.remove(id));
  }

  private void ask(byte[] bytes, SipFlow target, CompletableFuture<?> answer, int sends) {
    if (answer.isDone()) {
      return;
    }
    if (sends == STUN_SENDS) {
      answer.completeExceptionally(
          new SipException(SipException.Reason.TIMEOUT, "no answer to STUN from " + target));
      return;
    }
    write(bytes, target);
    later(T1_MS << sends, answer, () -> ask(bytes, target, answer, sends + 1));
  }

  // A timer that is not needed any more would keep its request for half a minute.
  private void later(long ms, CompletableFuture<?> answer, Runnable work) {
    var timer = loop.schedule(work, ms, TimeUnit.MILLISECONDS);
    var unused = answer.whenComplete((_, _) -> timer.cancel(false));
  }

  private void write(byte[] bytes, SipFlow target) {
    EpollDatagramChannel open = channel;
    if (open != null) {
      open.writeAndFlush(
          new DatagramPacket(Unpooled.wrappedBuffer(bytes), target.remote()), open.voidPromise());
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
    SipFlow from = new SipFlow(Transport.UDP, packet.sender());
    switch (guard.datagram(ByteBufUtil.getBytes(packet.content()))) {
      case Verdict.Accepted(SipResponse response) -> onResponse(response);
      case Verdict.Accepted(SipRequest request) -> onRequest(request, from);
      case Verdict.Stun(StunMessage.Success answer) -> {
        CompletableFuture<StunMessage.Success> question = questions.get(answer.id());
        if (question != null) {
          question.complete(answer);
        }
      }
      case Verdict.Refused _ -> counts.malformed++;
      case Verdict.Stun _, Verdict.KeepAlive _ -> {
        // the bridge asks nothing by STUN
      }
    }
  }

  private void onResponse(SipResponse response) {
    String via = response.headers().values("Via").getFirst();
    int begin = via.indexOf("branch=") + "branch=".length();
    int end = via.indexOf(';', begin);
    CompletableFuture<SipResponse> request =
        requests.get(end < 0 ? via.substring(begin) : via.substring(begin, end));
    if (request != null && response.isFinal()) {
      counts.refused += response.status() == UNAVAILABLE ? 1 : 0;
      request.complete(response);
    }
  }

  // A retransmission gets the answer again (RFC 3261 section 17.2.2).
  private void onRequest(SipRequest request, SipFlow from) {
    String key = request.headers().require("Via");
    RequestHandler taker = handler;
    if (key.equals(answeredKey)) {
      write(answeredBytes, from);
    } else if (taker != null) {
      taker.onRequest(new Incoming(request, from, key));
    }
  }

  private final class Incoming implements IncomingRequest {
    private final SipRequest request;
    private final SipFlow from;
    private final String key;

    Incoming(SipRequest request, SipFlow from, String key) {
      this.request = request;
      this.from = from;
      this.key = key;
    }

    @Override
    public SipRequest message() {
      return request;
    }

    @Override
    public SipFlow flow() {
      return from;
    }

    @Override
    public void answer(SipResponse response) {
      answeredKey = key;
      answeredBytes = response.withToTag(SipEndpoint.token()).encode();
      write(answeredBytes, from);
    }

    @Override
    public boolean begin(Runnable onCancel) {
      return false; // devices take no calls here
    }
  }

  @Override
  public InviteBranch invite(
      SipRequest request, SipFlow target, String mark, InviteBranch.Events events) {
    throw new UnsupportedOperationException("devices make no calls here");
  }

  @Override
  public void sendAck(SipRequest ack, SipFlow target) {
    throw new UnsupportedOperationException("devices make no calls here");
  }

  @Override
  public HostPort sentBy(SipFlow target) {
    return address;
  }

  @Override
  public boolean isConnected(SipFlow target) {
    return true; // UDP
  }

  @Override
  public void disconnect(SipFlow target) {
    // UDP has no connection
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    counts.unreachable++; // an ICMP error of an earlier send: the bridge is away
  }
}
