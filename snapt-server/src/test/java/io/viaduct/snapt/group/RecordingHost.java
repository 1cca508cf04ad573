package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Takes the place of the host's routes, which need root: a laboratory test sets real ones.
final class RecordingHost implements Host {
  final List<String> routes = new CopyOnWriteArrayList<>();
  final List<InetAddress> before = new CopyOnWriteArrayList<>();
  volatile boolean refuses;
  volatile boolean refusesIpv6;
  volatile String refused = "none";

  volatile boolean hasIpv6;

  @Override
  public boolean hasIpv6() {
    return hasIpv6;
  }

  private void set(String route) throws IOException {
    if (refuses || route.startsWith(refused + " ")) {
      throw new IOException("the host refuses");
    }
    routes.add(route);
  }

  @Override
  public void here(PublicAddress address) throws IOException {
    set(address.ipv4Text() + " here");
    if (refusesIpv6) {
      throw new IOException("the host refuses IPv6");
    }
  }

  @Override
  public void away(PublicAddress address, GroupSettings.Member to) throws IOException {
    set(address.ipv4Text() + " to " + to.id());
  }

  @Override
  public void forget(PublicAddress address) throws IOException {
    set(address.ipv4Text() + " forgotten");
  }

  @Override
  public void forget(InetAddress address) throws IOException {
    set(address.getHostAddress() + " forgotten");
  }

  @Override
  public List<InetAddress> routed() {
    return before;
  }
}
