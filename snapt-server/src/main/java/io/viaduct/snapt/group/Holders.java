package io.viaduct.snapt.group;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.viaduct.snapt.relay.MemberAccounts;
import io.viaduct.usage.v1.HolderAnswer;
import io.viaduct.usage.v1.HolderRequest;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Knows the accounts of sessions at other members, out of which datagrams of sessions here come.
/// It asks the member that has the address, and again after five seconds of use. Until the first
/// answer an account is not known. Any thread may call it.
final class Holders implements MemberAccounts {
  /// Most addresses that are remembered.
  static final int ADDRESSES_MAX = 10_000;

  private static final long KEPT_NS = 5_000_000_000L;

  private final GroupSettings settings;
  private final Members members;
  private final MovedAddresses moved;
  private final LongSupplier nanoClock;
  private final Map<InetAddress, Holder> known = new ConcurrentHashMap<>();
  private final Map<InetAddress, Long> askedNs = new ConcurrentHashMap<>(); // the last time

  private record Holder(String account, long sinceNs) {}

  /// @param moved tells which member has the address of another one
  /// @param nanoClock `System.nanoTime` in production
  Holders(GroupSettings settings, Members members, MovedAddresses moved, LongSupplier nanoClock) {
    this.settings = settings;
    this.members = members;
    this.moved = moved;
    this.nanoClock = nanoClock;
  }

  @Override
  public boolean has(InetAddress address) {
    for (int i = 0; i < settings.members().size(); i++) {
      if (settings.members().get(i).pool().has(address)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable String accountOf(InetAddress address) {
    Holder holder = known.get(address);
    long nowNs = nanoClock.getAsLong();
    long ageNs = holder == null ? Long.MAX_VALUE : nowNs - holder.sinceNs();
    if (ageNs >= KEPT_NS) {
      ask(address, nowNs);
    }
    // Another session may have the address by now, if no answer comes.
    return holder == null || ageNs >= 2 * KEPT_NS || holder.account().isEmpty()
        ? null
        : holder.account();
  }

  // Once in KEPT_NS, also if no answer comes: this is called for each datagram.
  private void ask(InetAddress address, long nowNs) {
    Long last = askedNs.get(address);
    if (last != null && nowNs - last < KEPT_NS) {
      return;
    }
    if (askedNs.size() >= ADDRESSES_MAX) {
      askedNs.clear();
    }
    askedNs.put(address, nowNs);
    String member = memberWith(address);
    if (member == null || settings.member(member).isEmpty()) {
      return; // nobody, or a member that was removed from the configuration
    }
    members.holder(
        member,
        HolderRequest.newBuilder()
            .setGroup(settings.name())
            .setAddress(ByteString.copyFrom(address.getAddress()))
            .build(),
        new StreamObserver<>() {
          @Override
          public void onNext(HolderAnswer answer) {
            if (known.size() >= ADDRESSES_MAX) {
              known.clear();
            }
            known.put(address, new Holder(answer.getAccount(), nanoClock.getAsLong()));
          }

          @Override
          public void onError(Throwable why) {
            // asked again later
          }

          @Override
          public void onCompleted() {
            // the answer was taken
          }
        });
  }

  private @Nullable String memberWith(InetAddress address) {
    String away = moved.memberWith(address);
    if (away != null) {
      return away;
    }
    for (GroupSettings.Member each : settings.members()) {
      if (each.pool().has(address)) {
        return each.id();
      }
    }
    return null;
  }
}
