package io.viaduct.cnapt.control;

import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.tunnel.control.v1.Relay;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/// The order in which one device prefers the SNAPTs of a list. Each device has its own order
/// (rendezvous hashing, Thaler and Ravishankar 1998): devices spread over all SNAPTs, those of a
/// SNAPT that fails over all others, and a SNAPT that comes or goes changes nothing between the
/// others. Before the hash counts, in this order:
///
/// 1. a SNAPT that says that it is loaded above 80 % is behind all others
/// 2. the rank that the bridge has granted, the lowest first
/// 3. the region that the device prefers
/// 4. its price, at `snapts.price-weight`, in steps of 5 ms: a difference that would decide about a
///    flow between two SNAPTs that are as near
///
/// Any thread may call the methods.
public final class SnaptOrder {
  private static final int FULL_ABOVE_PERCENT = 80;
  private static final double COST_STEP_MS = 5; // as [BetterSnapt] tells round trips apart
  private static final int BUSY_PERCENT = 10; // above the mean; a step in which loads are told

  // FNV-1a (draft-eastlake-fnv) and the finaliser of SplitMix64 (Steele et al. 2014): the order is
  // the same after a restart, on every machine.
  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final ToLongFunction<String> score;
  private final String region;
  private final double priceWeight;
  private volatile Map<String, Double> prices = Map.of(); // in ms
  private volatile Map<String, Integer> ranks = Map.of();
  private volatile Map<String, String> regions = Map.of();
  private volatile Map<String, Integer> loads = Map.of(); // in percent
  private volatile double meanPercent; // of the loads

  private SnaptOrder(ToLongFunction<String> score, String region, double priceWeight) {
    this.score = score;
    this.region = region;
    this.priceWeight = priceWeight;
  }

  /// Returns the order of a list itself, for an end that has one place to connect to.
  static SnaptOrder asListed() {
    return new SnaptOrder(_ -> 0, "", 0);
  }

  /// Returns the order of a device.
  ///
  /// @param device name that stays the same: its public key, at least 8 bytes
  /// @param region of the SNAPTs that it prefers; empty for none
  /// @param priceWeight round trip in ms that one denarius per gigabyte less is worth
  public static SnaptOrder of(byte[] device, String region, double priceWeight) {
    long seed = mix(ByteBuffer.wrap(device).getLong());
    return new SnaptOrder(id -> mix(seed ^ hash(id)), region, priceWeight);
  }

  private static long hash(String id) {
    long hash = FNV_BASIS;
    for (byte each : id.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (each & 0xff)) * FNV_PRIME;
    }
    return hash;
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }

  /// Sets what the bridge has granted.
  ///
  /// @param granted ranks by id: a SNAPT with a lower one is preferred
  /// @param terms by id; empty if the bridge says nothing
  public void granted(Map<String, Integer> granted, Map<String, SnaptTerms> terms) {
    ranks = Map.copyOf(granted);
    Map<String, String> now = new HashMap<>(regions);
    terms.forEach((id, each) -> now.put(id, each.region()));
    regions = Map.copyOf(now);
    if (!terms.isEmpty()) {
      priced(terms);
    }
  }

  private void priced(Map<String, SnaptTerms> terms) {
    Map<String, Double> now = new HashMap<>();
    terms.forEach((id, each) -> now.put(id, priceWeight * each.prices().mean()));
    prices = Map.copyOf(now);
  }

  /// Takes the bridge's directory, which has all SNAPTs.
  ///
  /// @param terms the same by id
  public void told(List<Relay> directory, Map<String, SnaptTerms> terms) {
    priced(terms);
    told(directory);
  }

  /// Takes states and loads of a directory.
  public void told(List<Relay> directory) {
    Map<String, Integer> percents = new HashMap<>();
    directory.forEach(
        each -> percents.put(each.getSnaptId(), Math.min(100, each.getLoadPercent())));
    listed(directory);
    loads(percents);
  }

  /// Takes where the SNAPTs of a complete list are.
  void listed(List<Relay> all) {
    Map<String, String> places = new HashMap<>();
    all.forEach(each -> places.put(each.getSnaptId(), each.getRegion()));
    regions = Map.copyOf(places);
  }

  /// Takes the load that a SNAPT tells of itself, in percent.
  void load(String snaptId, int percent) {
    Map<String, Integer> now = new HashMap<>(loads);
    now.put(snaptId, percent);
    loads(now);
  }

  private void loads(Map<String, Integer> now) {
    loads = Map.copyOf(now);
    meanPercent = now.values().stream().mapToInt(each -> each).average().orElse(0);
  }

  /// Returns the SNAPTs of a list, the preferred one first.
  public List<Snapt> sorted(List<Snapt> listed) {
    return listed.stream()
        .sorted(
            Comparator.comparing(this::isFull)
                .thenComparingInt(this::rank)
                .thenComparing(each -> !isOfRegion(each))
                .thenComparingInt(this::cost)
                .thenComparing(Comparator.comparingLong(this::score).reversed()))
        .toList();
  }

  private int rank(Snapt snapt) {
    return ranks.getOrDefault(snapt.id(), Integer.MAX_VALUE);
  }

  private int cost(Snapt snapt) {
    return (int) Math.round(priceMs(snapt) / COST_STEP_MS);
  }

  /// Returns the round trip in ms that the mean price of a SNAPT is worth; 0 while it is not known.
  public double priceMs(Snapt snapt) {
    return prices.getOrDefault(snapt.id(), 0.0);
  }

  private boolean isOfRegion(Snapt snapt) {
    return region.isEmpty() || region.equals(regions.get(snapt.id()));
  }

  private long score(Snapt snapt) {
    return score.applyAsLong(snapt.id().isEmpty() ? snapt.toString() : snapt.id());
  }

  /// Returns whether one SNAPT is worse than another one for a reason that goes before the hash.
  public boolean isBehind(Snapt snapt, Snapt other) {
    if (isFull(snapt) != isFull(other)) {
      return isFull(snapt);
    }
    if (rank(snapt) != rank(other)) {
      return rank(snapt) > rank(other);
    }
    return isOfRegion(snapt) == isOfRegion(other) ? cost(snapt) > cost(other) : !isOfRegion(snapt);
  }

  /// Returns whether a SNAPT is loaded above 80 %, as far as it is known.
  public boolean isFull(Snapt snapt) {
    return loadPercent(snapt) > FULL_ABOVE_PERCENT;
  }

  /// Returns whether a SNAPT should get more devices: it is loaded less than ten points above the
  /// mean of all, as far as it is known, and not above 80 %.
  public boolean takesMore(Snapt snapt) {
    return !isFull(snapt) && loadPercent(snapt) < meanPercent + BUSY_PERCENT;
  }

  /// Returns the load of a SNAPT as it tells it, in percent; -1 while it is not known.
  public int loadPercent(Snapt snapt) {
    return loadPercent(snapt.id());
  }

  /// Returns the load of the SNAPT with an id, as the other one.
  public int loadPercent(String id) {
    return loads.getOrDefault(id, -1);
  }
}
