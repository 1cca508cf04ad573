package io.viaduct.snapt.credit;

import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.FlowUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The quotas of one session, by application and class. A session has at most 255 applications in
/// four classes. Owned by the session's event loop.
final class Quotas {
  private final Map<Key, Quota> quotas = new HashMap<>(4);
  private final List<Quota> all = new ArrayList<>(4);

  private record Key(String application, ServiceClass serviceClass) {}

  /// Returns all quotas, oldest first. Reading them allocates nothing; the caller does not change
  /// the list.
  List<Quota> all() {
    return all;
  }

  Quota of(String application, ServiceClass serviceClass) {
    Key key = new Key(application, serviceClass);
    Quota found = quotas.get(key);
    if (found == null) {
      found = new Quota(application, serviceClass);
      quotas.put(key, found);
      all.add(found);
    }
    return found;
  }

  /// Marks all quotas that are granted, so that the next requests tell their use.
  void giveBack() {
    all.forEach(Quota::giveBack);
  }

  /// Adds the use that billing must know to a request.
  ///
  /// @param most applications of the request
  /// @param from place of the quota to begin with: each gets its turn
  /// @return place of the quota to begin with the next time
  int tell(CreditRequest.Builder request, int most, int from) {
    for (int i = 0; i < all.size(); i++) {
      int place = (from + i) % all.size();
      Quota quota = all.get(place);
      if (quota.isWanted() || quota.isUntold()) {
        if (request.getUsedCount() == most) {
          return place;
        }
        request.addUsed(quota.tell());
      }
    }
    return from;
  }

  /// Notes that billing has answered the last request.
  void answered() {
    all.forEach(Quota::answered);
  }

  /// Notes that the last request, or its answer, is lost, if it has not been answered: the next one
  /// tells the same use again.
  void lost() {
    all.forEach(Quota::lost);
  }

  /// @param serviceClass number of the class on the wire, 1 … 4
  @Nullable Quota find(String application, int serviceClass) {
    return serviceClass < 1 || serviceClass > ServiceClass.COUNT
        ? null
        : quotas.get(new Key(application, ServiceClass.of(serviceClass - 1)));
  }

  /// Adds the line of a report to the totals.
  void close(FlowUsage line) {
    of(line.getApplication(), ServiceClass.of(line.getServiceClassValue() - 1))
        .close(line.getUp().getPreBytes() + line.getDown().getPreBytes(), line.getDurationMs());
  }
}
