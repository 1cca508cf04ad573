package io.viaduct.controlbench;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.SharingUserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Many devices on one event loop. Each has an address, a user and a key of its own, and the code
/// of the agent's user agent with its messages and timers; only its clock ticks once a second
/// instead of ten times. A device is served when it has got a token. From then on it behaves like
/// one whose tunnel stands.
public final class AgentFleet implements Fleet {
  /// Most devices of one process, because each has a socket.
  static final int DEVICES_MAX = 10_000;

  static final int PORT = 5060;
  private static final int TICKS_PER_SECOND = 50; // each ticks a part of the devices
  private static final long TICK_MS = 1_000 / TICKS_PER_SECOND;

  private final EventLoop loop;
  private final FleetCounts counts = new FleetCounts();
  private final List<Device> devices = new ArrayList<>();
  private final int perSecond;
  private int begun;
  private int ticked;
  private double due;
  private boolean isBeginning;

  private record Device(Member member, SharingUserAgent agent, byte[] key) {}

  private AgentFleet(EventLoop loop, int perSecond) {
    this.loop = loop;
    this.perSecond = perSecond;
  }

  /// @param arguments number of the first device, count, devices that begin per second, bridge as
  ///   `host:port`, domain
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // a library that prints must not disturb the answers
    int first = Integer.parseInt(arguments[0]);
    int count = Integer.parseInt(arguments[1]);
    EventLoop loop =
        new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("devices", true), EpollIoHandler.newFactory())
            .next();
    AgentFleet fleet = new AgentFleet(loop, Integer.parseInt(arguments[2]));
    MessageGuard guard = new MessageGuard(GuardLimits.STANDARD);
    for (int number = first; number < first + count; number++) {
      fleet.add(number, guard, HostPort.parse(arguments[3]), arguments[4]);
    }
    var unused = loop.scheduleAtFixedRate(fleet::onClock, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    FleetOrders.obey(fleet, answers);
    System.exit(0);
  }

  private void add(int number, MessageGuard guard, HostPort bridge, String domain)
      throws InterruptedException {
    HostPort address = new HostPort(FleetPlan.address(number), PORT);
    DeviceSocket socket = new DeviceSocket(loop, guard, address, counts);
    Member member = new Member();
    String user = FleetPlan.user(number);
    var agents = new @Nullable SharingUserAgent[1];
    UserAgentListener listener =
        new UserAgentListener() {
          @Override
          public boolean takesMessages() {
            return false; // as the agent's
          }

          @Override
          public void onSessionGrant(SessionGrant grant) {
            member.served(System.nanoTime());
            SharingUserAgent agent = agents[0];
            if (agent != null) {
              agent.tunnel(true);
            }
          }
        };
    InetSocketAddress local = new InetSocketAddress(address.host(), PORT);
    SharingUserAgent agent =
        new SharingUserAgent(
            UserAgentSettings.of(
                domain,
                user,
                FleetPlan.password(user),
                bridge,
                Transport.UDP,
                SipEndpointSettings.client(local)),
            InstantSource.system(),
            RandomGenerator.getDefault(),
            socket,
            loop,
            listener);
    agents[0] = agent;
    EpollDatagramChannel channel =
        (EpollDatagramChannel)
            new Bootstrap()
                .group(loop)
                .channel(EpollDatagramChannel.class)
                .option(
                    ChannelOption.RECVBUF_ALLOCATOR,
                    new FixedRecvByteBufAllocator(
                        guard.limits().headBytes() + guard.limits().bodyBytes() + 1))
                .handler(socket)
                .bind(local)
                .sync()
                .channel();
    byte[] key = FleetPlan.key(number);
    loop.submit(
            () -> {
              socket.open(channel, agent::onRequest);
              devices.add(new Device(member, agent, key));
            })
        .sync();
  }

  private void onClock() {
    try {
      tick();
    } catch (RuntimeException e) {
      e.printStackTrace(); // an exception would silently end the schedule of all devices
    }
  }

  private void tick() {
    if (isBeginning) {
      due += (double) perSecond / TICKS_PER_SECOND;
      for (; due >= 1 && begun < devices.size(); due--) {
        Device next = devices.get(begun++);
        next.member.begins(System.nanoTime());
        next.agent.begin(next.key);
      }
    }
    int part = Math.ceilDiv(begun, TICKS_PER_SECOND);
    for (int i = 0; i < part; i++) {
      ticked = ticked + 1 < begun ? ticked + 1 : 0;
      devices.get(ticked).agent.tick();
    }
  }

  @Override
  public void begin() {
    loop.execute(() -> isBeginning = true);
  }

  @Override
  public void mark() {
    onLoop(() -> {
      long nowNs = System.nanoTime();
      devices.forEach(each -> each.member.begins(nowNs));
      return true;
    });
  }

  @Override
  public long served() {
    return onLoop(() -> devices.stream().filter(each -> each.member.isServed()).count());
  }

  @Override
  public List<Long> times() {
    return onLoop(() ->
        devices.stream().map(Device::member).filter(Member::isServed).map(Member::ms).toList());
  }

  @Override
  public String counts() {
    return onLoop(() ->
        "sent=%d again=%d refused=%d unanswered=%d unreachable=%d malformed=%d"
            .formatted(
                counts.sent,
                counts.retransmissions,
                counts.refused,
                counts.unanswered,
                counts.unreachable,
                counts.malformed));
  }

  private <T> T onLoop(Callable<T> question) {
    return loop.submit(question).syncUninterruptibly().getNow();
  }
}
