package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.tap.PacketKind;
import io.viaduct.testbed.tap.PacketTap;
import java.util.ArrayList;
import java.util.List;

/// Counts the sealed probes that both ends of our tunnel send, answers included: they look alike.
final class ProbeCount implements AutoCloseable {
  private final List<PacketTap> device = new ArrayList<>();
  private final List<PacketTap> snapt = new ArrayList<>();

  private ProbeCount(BenchNetwork network, List<String> links) {
    for (String link : links) {
      if (!link.isEmpty()) {
        device.add(
            PacketTap.on(
                network.device(),
                "link" + link,
                packet -> PacketKind.isTo(packet, Plans.SNAPT_PORT)));
      }
    }
    if (!links.isEmpty()) {
      snapt.add(
          PacketTap.on(
              network.far(), "core0", packet -> PacketKind.isFrom(packet, Plans.SNAPT_PORT)));
    }
  }

  /// Starts to count.
  ///
  /// @param links names of links of IPv4; empty ones are left out; without any nothing is counted
  static ProbeCount on(BenchNetwork network, List<String> links) {
    return new ProbeCount(network, links);
  }

  long ofDevice() {
    return sum(device);
  }

  private static long sum(List<PacketTap> taps) {
    return taps.stream().mapToLong(tap -> tap.of(PacketKind.PROBES).packets()).sum();
  }

  long ofSnapt() {
    return sum(snapt);
  }

  @Override
  public void close() {
    device.forEach(PacketTap::close);
    snapt.forEach(PacketTap::close);
  }
}
