package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Takes the place of the host's routes, which need root: a laboratory test sets real ones.
final class RecordingHost implements Host {
  final List<String> routes = new CopyOnWriteArrayList<>();
  volatile boolean refuses;

  private void set(String route) throws IOException {
    if (refuses) {
      throw new IOException("the host refuses");
    }
    routes.add(route);
  }

  @Override
  public void here(PublicAddress address) throws IOException {
    set(address.ipv4Text() + " here");
  }

  @Override
  public void away(PublicAddress address, GroupSettings.Member to) throws IOException {
    set(address.ipv4Text() + " to " + to.id());
  }

  @Override
  public void forget(PublicAddress address) throws IOException {
    set(address.ipv4Text() + " forgotten");
  }
}
