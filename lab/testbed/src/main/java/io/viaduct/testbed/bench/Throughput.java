package io.viaduct.testbed.bench;

import static io.viaduct.testbed.bench.Row.less;
import static io.viaduct.testbed.bench.Row.more;

import io.viaduct.testbed.bench.Goal.Bound;
import io.viaduct.testbed.bench.Goal.Of;
import io.viaduct.testbed.bench.Goal.OfBest;
import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.util.List;

/// Measures one TCP connection at the highest rate in each direction. Also measures the processor
/// time of each end of the tunnel, and its memory at the end.
final class Throughput implements Measure {
  private static final int WARM_UP_SECONDS = 2;
  private static final Goal[] RATE = {new OfBest(3), new Of(PeerScripts.NULL_TUN, 0.5)};
  private static final Goal CPU = new OfBest(0.33);
  private static final Goal MEMORY = new Bound(160);

  private static final Row UP = more("tcp-up", "TCP up", "Gbit/s", 2, RATE);
  private static final Row DOWN = more("tcp-down", "TCP down", "Gbit/s", 2, RATE);
  private static final Row UP_NEAR =
      less("cpu-up-near", "CPU of the near end, up", "s/Gbit", 3, CPU);
  private static final Row UP_FAR = less("cpu-up-far", "CPU of the far end, up", "s/Gbit", 3, CPU);
  private static final Row DOWN_NEAR =
      less("cpu-down-near", "CPU of the near end, down", "s/Gbit", 3, CPU);
  private static final Row DOWN_FAR =
      less("cpu-down-far", "CPU of the far end, down", "s/Gbit", 3, CPU);
  private static final Row MACHINE_UP =
      less("cpu-up-machine", "CPU of the machine, up", "s/Gbit", 3);
  private static final Row MACHINE_DOWN =
      less("cpu-down-machine", "CPU of the machine, down", "s/Gbit", 3);
  private static final Row STOLEN = less("stolen", "stolen by the hypervisor", "s", 2);
  private static final Row NEAR_MEMORY =
      less("memory-near", "resident memory of the near end", "MiB", 0, MEMORY);
  private static final Row FAR_MEMORY =
      less("memory-far", "resident memory of the far end", "MiB", 0, MEMORY);

  private final TcpFlow flow;
  private final int seconds;

  Throughput(TcpFlow flow, int seconds) {
    this.flow = flow;
    this.seconds = seconds;
  }

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public List<Row> rows() {
    return List.of(
        UP,
        DOWN,
        UP_NEAR,
        UP_FAR,
        DOWN_NEAR,
        DOWN_FAR,
        MACHINE_UP,
        MACHINE_DOWN,
        NEAR_MEMORY,
        FAR_MEMORY,
        STOLEN);
  }

  @Override
  public void run(Peer peer, Recorder recorder) throws IOException {
    direction(peer, recorder, Way.UP, List.of(UP, UP_NEAR, UP_FAR, MACHINE_UP));
    direction(peer, recorder, Way.DOWN, List.of(DOWN, DOWN_NEAR, DOWN_FAR, MACHINE_DOWN));
    if (!peer.nearProcesses().isEmpty()) {
      recorder.record(NEAR_MEMORY, ProcessUsage.residentMib(peer.nearProcesses()));
      recorder.record(FAR_MEMORY, ProcessUsage.residentMib(peer.farProcesses()));
    }
  }

  private void direction(Peer peer, Recorder recorder, Way way, List<Row> rows) throws IOException {
    flow.run(peer.target(), way, Math.min(WARM_UP_SECONDS, seconds));
    double near = ProcessUsage.cpuSeconds(peer.nearProcesses());
    double far = ProcessUsage.cpuSeconds(peer.farProcesses());
    double machine = ProcessUsage.machineSeconds();
    double stolen = ProcessUsage.stolenSeconds();
    TcpFlow.Transferred transferred = flow.run(peer.target(), way, seconds);
    double gbit = transferred.gbit();
    recorder.record(rows.get(0), transferred.mbitPerSecond() / 1000);
    if (!peer.nearProcesses().isEmpty()) {
      recorder.record(rows.get(1), (ProcessUsage.cpuSeconds(peer.nearProcesses()) - near) / gbit);
      recorder.record(rows.get(2), (ProcessUsage.cpuSeconds(peer.farProcesses()) - far) / gbit);
    }
    recorder.record(rows.get(3), (ProcessUsage.machineSeconds() - machine) / gbit);
    recorder.record(STOLEN, ProcessUsage.stolenSeconds() - stolen);
  }
}
