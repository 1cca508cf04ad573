package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Every peer in turn, both directions, round after round, so that what the machine does meanwhile
/// meets all of them.
final class TunnelBench {
  /// One run. CPU in seconds per Gbit of received payload.
  record Sample(
      String peer,
      int round,
      boolean upload,
      double mbitPerSecond,
      double clientCpu,
      double serverCpu,
      double machineCpu,
      double stolenSeconds) {}

  private final List<Peer> peers;
  private final TcpFlow flow;
  private final int seconds;

  TunnelBench(List<Peer> peers, TcpFlow flow, int seconds) {
    this.peers = List.copyOf(peers);
    this.flow = flow;
    this.seconds = seconds;
  }

  List<Sample> run(int rounds) throws IOException {
    for (Peer peer : peers) { // warm: JIT and TCP's memory of the path
      flow.run(peer.target(), true, Math.min(3, seconds));
      flow.run(peer.target(), false, Math.min(3, seconds));
    }
    var samples = new ArrayList<Sample>();
    for (int round = 1; round <= rounds; round++) {
      for (Peer peer : peers) {
        samples.add(measure(peer, round, true));
        samples.add(measure(peer, round, false));
      }
    }
    return samples;
  }

  private Sample measure(Peer peer, int round, boolean upload) throws IOException {
    double client = CpuTime.ofProcesses(peer.clientProcesses());
    double server = CpuTime.ofProcesses(peer.serverProcesses());
    double machine = CpuTime.ofMachine();
    double stolen = CpuTime.stolen();
    TcpFlow.Transferred transferred = flow.run(peer.target(), upload, seconds);
    double gbit = transferred.gbit();
    return new Sample(
        peer.name(),
        round,
        upload,
        transferred.mbitPerSecond(),
        (CpuTime.ofProcesses(peer.clientProcesses()) - client) / gbit,
        (CpuTime.ofProcesses(peer.serverProcesses()) - server) / gbit,
        (CpuTime.ofMachine() - machine) / gbit,
        CpuTime.stolen() - stolen);
  }
}
