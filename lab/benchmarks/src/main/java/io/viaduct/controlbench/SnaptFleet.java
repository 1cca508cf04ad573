package io.viaduct.controlbench;

import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.HostPort;
import io.viaduct.snapt.AnnouncingSnapt;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// Many SNAPTs in one process, each with its connection to the bridge. A SNAPT is served when the
/// bridge has answered a status.
public final class SnaptFleet implements Fleet {
  private final List<AnnouncingSnapt> snapts = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final int perSecond;
  private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
  private int begun;

  private SnaptFleet(int perSecond) {
    this.perSecond = perSecond;
  }

  /// @param arguments count, SNAPTs that begin per second, bridge as `host:port`, directory with
  ///   the PEM files, sessions of each
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // a library that prints must not disturb the answers
    SnaptFleet fleet = new SnaptFleet(Integer.parseInt(arguments[1]));
    HostPort bridge = HostPort.parse(arguments[2]);
    Path files = Path.of(arguments[3]);
    for (int number = 0; number < Integer.parseInt(arguments[0]); number++) {
      String id = FleetPlan.snapt(number);
      Member member = new Member();
      fleet.members.add(member);
      fleet.snapts.add(
          new AnnouncingSnapt(
              id,
              FleetPlan.snaptAddress(number),
              Integer.parseInt(arguments[4]),
              new TlsSettings(
                  files.resolve(id + ".pem"), files.resolve(id + ".key"), files.resolve("ca.pem")),
              files.resolve(id + ".report.key"),
              files.resolve(id).resolve("state"),
              new AnnouncingSnapt.Bridge(bridge.host(), bridge.port()),
              () -> member.served(System.nanoTime())));
    }
    FleetOrders.obey(fleet, answers);
    System.exit(0);
  }

  @Override
  public void begin() {
    var unused =
        pace.scheduleAtFixedRate(
            this::beginNext, 0, 1_000_000_000L / perSecond, TimeUnit.NANOSECONDS);
  }

  private void beginNext() {
    if (begun < snapts.size()) {
      members.get(begun).begins(System.nanoTime());
      snapts.get(begun).start();
      begun++;
    }
  }

  @Override
  public void mark() {
    long nowNs = System.nanoTime();
    members.forEach(each -> each.begins(nowNs));
  }

  @Override
  public long served() {
    return members.stream().filter(Member::isServed).count();
  }

  @Override
  public List<Long> times() {
    return members.stream().filter(Member::isServed).map(Member::ms).toList();
  }

  @Override
  public String counts() {
    return "";
  }
}
