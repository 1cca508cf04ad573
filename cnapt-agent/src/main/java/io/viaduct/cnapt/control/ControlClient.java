package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a control connection to one of the SNAPTs, whatever the network does: made, kept alive,
/// made again with back-off, the session resumed where the SNAPT still knows it. Methods may be
/// called from any thread; all state belongs to the control event loop.
public final class ControlClient implements ControlConnection.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(ControlClient.class);
  private static final int KEEP_ALIVES_LOST_MAX = 3;
  private static final int RECEIVER_INDEX_END = 1 << 24;

  private final EventLoop loop;
  private final Supplier<SslContext> tls;
  private final int mark;
  private final ControlSettings settings;
  private final DeviceIdentity device;
  private final Greeting greeting;
  private final ControlListener listener;
  private final RandomGenerator random;
  private final Candidates candidates;
  private final BackOff backOff;
  private final SnaptAddresses addresses = new SnaptAddresses();
  private final AtomicLongArray failures = new AtomicLongArray(ControlFailure.values().length);
  private final AtomicLongArray refusals = new AtomicLongArray(RefusalCode.values().length);

  private byte[] token = new byte[0];
  private @Nullable ControlConnection connection;
  private @Nullable SSLSession tlsSession;
  private @Nullable ScheduledFuture<?> timer;
  private boolean established;
  private boolean stopped;
  private int attempt;
  private String sessionId = "";
  private int receiverIndex;
  private int resumeIndex;
  private String resumeAt = "";
  private long keepAliveNumber;
  private int keepAlivesLost;
  private String told = "";

  /// @param tls made on the first attempt: it reads files and loads classes
  /// @param mark SO_MARK of the connection, 0 for none
  public ControlClient(
      EventLoop loop,
      Supplier<SslContext> tls,
      int mark,
      ControlSettings settings,
      SnaptSettings bootstrap,
      DeviceIdentity device,
      Greeting greeting,
      RandomGenerator random,
      ControlListener listener) {
    this.loop = loop;
    this.tls = tls;
    this.mark = mark;
    this.settings = settings;
    this.device = device;
    this.greeting = greeting;
    this.random = random;
    this.listener = listener;
    this.candidates = new Candidates(bootstrap);
    this.backOff = new BackOff(settings, random);
  }

  /// A token, the first or a newer one, and the SNAPTs that take it.
  public void present(byte[] newToken, List<Snapt> snapts) {
    byte[] shown = newToken.clone();
    loop.execute(() -> {
      token = shown;
      if (!snapts.isEmpty()) {
        candidates.replace(snapts);
      }
      ControlConnection open = connection;
      SSLSession through = tlsSession;
      if (open == null) {
        backOff.succeeded();
        connect();
      } else if (established && through != null) {
        updateToken(open, through);
      }
    });
  }

  private void updateToken(ControlConnection open, SSLSession through) {
    try {
      TokenUpdate update =
          TokenUpdate.newBuilder()
              .setToken(ByteString.copyFrom(token))
              .setProof(ByteString.copyFrom(device.proof(through)))
              .build();
      open.send(ControlMessage.newBuilder().setTokenUpdate(update).build());
    } catch (SSLException e) {
      open.close(ControlFailure.TLS_FAILED, String.valueOf(e.getMessage()));
    }
  }

  /// The network under the connection is another one: it is made again at once.
  public void networkChanged() {
    loop.execute(() -> {
      backOff.succeeded();
      ControlConnection open = connection;
      if (open == null) {
        connect();
      } else {
        open.close(ControlFailure.NETWORK_CHANGED, "the network has changed");
      }
    });
  }

  private void connect() {
    cancelTimer();
    Snapt snapt = candidates.current();
    if (stopped || connection != null || token.length == 0 || snapt == null) {
      return;
    }
    int number = ++attempt;
    Thread.ofVirtual()
        .name("resolve")
        .start(() -> {
          try {
            InetSocketAddress address = addresses.resolve(snapt, backOff.failures());
            SslContext context = tls.get();
            loop.execute(() -> connect(number, snapt, address, context));
          } catch (UnknownHostException _) {
            loop.execute(() -> {
              if (number == attempt) {
                failed(ControlFailure.HOST_UNKNOWN, "no address for " + snapt.host());
              }
            });
          }
        });
  }

  private void connect(int number, Snapt snapt, InetSocketAddress address, SslContext context) {
    if (number != attempt || stopped || connection != null) {
      return;
    }
    int timeoutMs = (int) settings.connectTimeout().toMillis();
    ControlConnection made =
        new ControlConnection(snapt, address, context, mark, timeoutMs, loop, this);
    connection = made;
    timer =
        loop.schedule(
            () -> made.close(ControlFailure.CONNECT_TIMEOUT, "no Welcome in " + timeoutMs + " ms"),
            timeoutMs,
            TimeUnit.MILLISECONDS);
    made.connect();
  }

  @Override
  public void opened(ControlConnection opened, SSLSession through) throws SSLException {
    if (opened != connection) {
      return;
    }
    tlsSession = through;
    boolean resume = !sessionId.isEmpty() && resumeAt.equals(opened.snapt().host());
    receiverIndex = resume ? resumeIndex : random.nextInt(1, RECEIVER_INDEX_END);
    Hello hello =
        greeting.hello(token, device.proof(through), resume ? sessionId : "", receiverIndex);
    opened.send(ControlMessage.newBuilder().setHello(hello).build());
  }

  @Override
  public void received(ControlConnection from, ControlMessage message) {
    if (from != connection) {
      return;
    }
    switch (message.getMessageCase()) {
      case WELCOME -> welcome(from, message.getWelcome());
      case REFUSAL -> refused(from, message.getRefusal());
      case KEEP_ALIVE -> keepAlive(from, message.getKeepAlive());
      case TOKEN_ACCEPTED -> listener.tokenAccepted(message.getTokenAccepted().getExpiresMs());
      case RELAY_LIST -> relays(message.getRelayList().getRelaysList());
      case INTERVAL_BOUNDARY -> listener.boundary(message.getIntervalBoundary());
      case GOODBYE -> {
        sessionId = "";
        from.close(ControlFailure.GOODBYE, "the SNAPT says goodbye: " + words(message));
      }
      case HELLO, TOKEN_UPDATE, MESSAGE_NOT_SET ->
          from.close(ControlFailure.MALFORMED, message.getMessageCase() + " is not for a device");
    }
  }

  private static String words(ControlMessage message) {
    return message.getGoodbye().getReason();
  }

  private void welcome(ControlConnection from, Welcome welcome) {
    String wrong = established ? "Welcome a second time" : wrongWith(welcome);
    if (!wrong.isEmpty()) {
      from.close(ControlFailure.MALFORMED, wrong);
      return;
    }
    if (!from.snapt().id().isEmpty() && !from.snapt().id().equals(welcome.getSnaptId())) {
      from.close(
          ControlFailure.SNAPT_ID_MISMATCH,
          "%s calls itself '%s'".formatted(from.snapt(), welcome.getSnaptId()));
      return;
    }
    established = true;
    keepAlivesLost = 0;
    backOff.succeeded();
    candidates.succeeded();
    sessionId = welcome.getSessionId();
    resumeIndex = receiverIndex;
    resumeAt = from.snapt().host();
    cancelTimer();
    armKeepAlive(from);
    Welcomed welcomed =
        new Welcomed(
            from.snapt(),
            new InetSocketAddress(from.remote().getAddress(), welcome.getDataPort()),
            welcome,
            receiverIndex);
    told = "";
    LOG.info("{}", welcomed);
    listener.welcomed(welcomed);
    relays(welcome.getRelaysList());
  }

  private String wrongWith(Welcome welcome) {
    int secret = welcome.getSecret().size();
    if (welcome.getResumed() ? secret != 0 : secret != 32) {
      return "Welcome with a secret of " + secret + " bytes, resumed " + welcome.getResumed();
    }
    if (welcome.getResumed() && !welcome.getSessionId().equals(sessionId)) {
      return "Welcome resumes a session that was not asked for";
    }
    if (welcome.getSessionId().isEmpty()) {
      return "Welcome without session id";
    }
    if (welcome.getReceiverIndex() < 0 || welcome.getReceiverIndex() >= RECEIVER_INDEX_END) {
      return "Welcome with receiver index " + welcome.getReceiverIndex();
    }
    if (welcome.getDataPort() < 1 || welcome.getDataPort() > 65535) {
      return "Welcome with data port " + welcome.getDataPort();
    }
    if (welcome.getPathMtu() < 576 || welcome.getPathMtu() > greeting.pathMtu()) {
      return "Welcome with path MTU " + welcome.getPathMtu();
    }
    return greeting.aeads().contains(welcome.getAead()) ? "" : "Welcome with an AEAD not offered";
  }

  private void refused(ControlConnection from, Refusal refusal) {
    RefusalCode code = refusal.getCode();
    refusals.incrementAndGet(code == RefusalCode.UNRECOGNIZED ? 0 : code.getNumber());
    String words = code + (refusal.getDetail().isEmpty() ? "" : ": " + refusal.getDetail());
    switch (code) {
      case TOKEN_MALFORMED,
          TOKEN_FORGED,
          TOKEN_EXPIRED,
          TOKEN_NOT_YET_VALID,
          TOKEN_AUDIENCE,
          PROOF_INVALID ->
          listener.tokenRefused(words);
      case SESSION_ACCOUNT_MISMATCH -> sessionId = "";
      default -> {}
    }
    if (code == RefusalCode.SESSIONS_EXHAUSTED || code == RefusalCode.DRAINING) {
      candidates.failed(true);
    }
    from.close(ControlFailure.REFUSED, words);
  }

  private void relays(List<Relay> listed) {
    if (listed.isEmpty()) {
      return;
    }
    List<Snapt> snapts =
        listed.stream()
            .filter(r -> r.getControlPort() >= 1 && r.getControlPort() <= 65535)
            .filter(r -> !r.getHost().isEmpty())
            .map(r -> new Snapt(r.getSnaptId(), r.getHost(), r.getControlPort()))
            .toList();
    candidates.replace(snapts);
    listener.relays(candidates.all());
  }

  private void armKeepAlive(ControlConnection of) {
    timer =
        loop.schedule(
            () -> {
              if (of != connection) {
                return;
              }
              if (keepAlivesLost >= KEEP_ALIVES_LOST_MAX) {
                of.close(ControlFailure.KEEP_ALIVE_LOST, keepAlivesLost + " without answer");
                return;
              }
              keepAlivesLost++;
              of.send(keepAlive(++keepAliveNumber, false));
              armKeepAlive(of);
            },
            settings.keepAlive().toMillis(),
            TimeUnit.MILLISECONDS);
  }

  private void keepAlive(ControlConnection from, KeepAlive keepAlive) {
    if (!keepAlive.getReply()) {
      from.send(keepAlive(keepAlive.getNumber(), true));
    } else if (keepAlive.getNumber() == keepAliveNumber) {
      keepAlivesLost = 0;
    }
  }

  private static ControlMessage keepAlive(long number, boolean reply) {
    return ControlMessage.newBuilder()
        .setKeepAlive(KeepAlive.newBuilder().setNumber(number).setReply(reply))
        .build();
  }

  @Override
  public void ended(ControlConnection closed, ControlFailure why, String detail) {
    if (closed != connection) {
      return;
    }
    connection = null;
    failed(why, detail);
  }

  private void failed(ControlFailure why, String detail) {
    cancelTimer();
    attempt++;
    tlsSession = null;
    boolean wasEstablished = established;
    established = false;
    failures.incrementAndGet(why.ordinal());
    if (stopped) {
      return;
    }
    boolean atOnce =
        why == ControlFailure.NETWORK_CHANGED
            || (wasEstablished && (why == ControlFailure.CLOSED || why == ControlFailure.GOODBYE));
    if (why != ControlFailure.NETWORK_CHANGED) {
      tell(why, detail);
      if (!wasEstablished && candidates.failed(false)) {
        sessionId = "";
      }
    }
    listener.lost(why, detail);
    timer = loop.schedule(() -> connect(), atOnce ? 0 : backOff.next(), TimeUnit.MILLISECONDS);
  }

  // The same failure again and again is one line, not one per attempt.
  private void tell(ControlFailure why, String detail) {
    String words = candidates.current() + ": " + why.label() + ": " + detail;
    if (!words.equals(told)) {
      told = words;
      LOG.warn("control connection to {}", words);
    }
  }

  private void cancelTimer() {
    ScheduledFuture<?> armed = timer;
    if (armed != null) {
      armed.cancel(false);
      timer = null;
    }
  }

  /// How often connections failed or ended for this reason; any thread.
  public long failures(ControlFailure why) {
    return failures.get(why.ordinal());
  }

  /// How often a SNAPT has refused us with this code; any thread.
  public long refusals(RefusalCode code) {
    return refusals.get(code.getNumber());
  }

  /// Ends the session: Goodbye, then the connection. Waits for it, not longer than a second.
  public void close(String reason) {
    loop.submit(
            () -> {
              stopped = true;
              cancelTimer();
              ControlConnection open = connection;
              connection = null;
              if (open != null && established) {
                Goodbye goodbye = Goodbye.newBuilder().setReason(reason).build();
                open.closeAfter(ControlMessage.newBuilder().setGoodbye(goodbye).build());
              } else if (open != null) {
                open.close(ControlFailure.CLOSED, reason);
              }
            })
        .awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
