package io.viaduct.billing.mediation;

import static java.util.stream.Collectors.groupingBy;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.usage.v1.ReportVerdict;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A slow but obvious ledger, the oracle for the real one: plain maps, one report at a time, no
/// database. It takes the bills of a report's flows under a tariff as given.
final class OracleLedger {
  record Spec(
      String session,
      long epoch,
      long sequence,
      String account,
      String content,
      Instant end,
      Function<Tariff, List<BillLines>> bill,
      boolean signed,
      @Nullable Relay relay) {
    String key() {
      return session + "/" + epoch + "/" + sequence;
    }
  }

  /// A neighbour that carried a part of the wire bytes, 0..1.
  record Relay(String account, BigDecimal part) {}

  private static final class Interval {
    private final Spec spec;
    private final Instant start;
    private final Instant due;
    private final BillLines reported; // the bill of its report, before re-ratings
    private final boolean late;
    private final boolean byDevice;
    private List<BillLines> flows; // the bill of each
    private boolean settled;
    private boolean signed;
    private long refunded;

    private boolean isVoid;
    private int corrected; // number of the corrections that it was looked at by

    private Interval(Spec spec, List<BillLines> flows, Instant end, boolean late) {
      this(spec, flows, end, late, end.plus(MediationRig.GRACE), spec.signed());
    }

    private static Interval byDevice(Device device, List<BillLines> flows) {
      return new Interval(
          device.spec, flows, device.end, false, device.end.plus(MediationRig.ADJUSTMENT), false);
    }

    private Interval(
        Spec spec, List<BillLines> flows, Instant end, boolean late, Instant due, boolean signed) {
      this.spec = spec;
      this.start = end.minus(LENGTH);
      this.due = due;
      this.byDevice = spec.session().startsWith("device:");
      this.reported = sum(flows);
      this.flows = flows;
      this.late = late;
      this.signed = signed;
    }

    private BillLines bill() {
      return sum(flows);
    }

    private LocalDate day() {
      return LocalDate.ofInstant(start, ZoneOffset.UTC);
    }

    private boolean isReplaceable() {
      return byDevice && !signed && !isVoid;
    }
  }

  /// A device's report. Its spec has the session of the interval that it may bill.
  private static final class Device {
    private final Spec spec;
    private final long bytes;
    private final Instant end;
    private boolean isDecided;
    private boolean isUncharged;
    private boolean isDiscrepant;
    private @Nullable Interval charged;

    private Device(Spec spec, long bytes, Instant end) {
      this.spec = spec;
      this.bytes = bytes;
      this.end = end;
    }
  }

  /// A re-rating of an account's intervals that began in a time.
  record Correction(Instant from, Instant to, String account, Tariff tariff) {
    private boolean concerns(Interval interval) {
      return !interval.start.isBefore(from)
          && interval.start.isBefore(to)
          && interval.spec.account().equals(account);
    }
  }

  private static final Duration LENGTH = Duration.ofMinutes(1); // of every interval

  /// The application of a flow, by its place.
  static final IntFunction<String> APPLICATION = flow -> flow == 0 ? "ssh" : "skype-video";

  private final long unsignedBound;
  private final Map<String, Instant> held = new HashMap<>(); // first arrival, by content
  private final Set<String> accounts = new HashSet<>();
  private final Map<String, Interval> intervals = new LinkedHashMap<>();
  private final NavigableMap<Instant, Tariff> tariffs = new TreeMap<>();
  private final List<Correction> corrections = new ArrayList<>();
  private final Map<String, Long> epochs = new HashMap<>();
  private final Map<String, Device> devices = new LinkedHashMap<>(); // by key and account
  private final Map<String, String> heldPlaces = new HashMap<>(); // key and account, by content
  private final Map<String, Long> snaptBytes = new HashMap<>(); // by key and account
  int discrepancies;
  private final Map<String, String> topUpKeys = new HashMap<>();
  private final Set<String> creditKeys = new HashSet<>();
  final Map<String, Long> balances = new HashMap<>();
  final OracleWallets wallets = new OracleWallets();
  private final Map<String, Spec> heldSpecs = new HashMap<>(); // by content
  private final Set<String> grantKeys = new HashSet<>();
  private final Set<String> keysOfRound = new HashSet<>();
  private final List<Interval> unpaid = new ArrayList<>(); // posted in this round

  OracleLedger(long unsignedBound) {
    this.unsignedBound = unsignedBound;
  }

  void open(String account) {
    accounts.add(account);
  }

  /// Puts a tariff in force from a time on.
  void changeTariff(Instant from, Tariff tariff) {
    tariffs.put(from, tariff);
  }

  /// Returns the bill of a report whose interval ended at a time: it costs what the tariff says
  /// that is in force at its start.
  BillLines bill(Spec spec, Instant end) {
    return sum(flows(spec, end));
  }

  private List<BillLines> flows(Spec spec, Instant end) {
    return spec.bill().apply(tariffAt(end.minus(LENGTH)));
  }

  private static BillLines sum(List<BillLines> flows) {
    return flows.stream().reduce(BillLines.NOTHING, BillLines::plus);
  }

  private Tariff tariffAt(Instant start) {
    return tariffs.floorEntry(start).getValue();
  }

  private void move(String from, String to, long amount) {
    balances.merge(from, -amount, Math::addExact);
    balances.merge(to, amount, Math::addExact);
  }

  private static String place(Spec spec) {
    return spec.key() + " " + spec.account();
  }

  /// Takes a device's report.
  ///
  /// @param spec as of the SNAPT's report of the interval, with the bill of the device's
  ReportVerdict submitByDevice(Spec spec, long bytes, Instant now) {
    if (!accounts.contains(spec.account())) {
      return ReportVerdict.REJECTED;
    }
    Device known = devices.get(place(spec));
    if (known != null) {
      return known.bytes == bytes ? ReportVerdict.ALREADY_POSTED : ReportVerdict.CONFLICT;
    }
    Instant end = believed(spec.end(), now);
    if (Duration.between(end, now).compareTo(MediationRig.ADJUSTMENT) > 0) {
      return ReportVerdict.REJECTED;
    }
    Spec own =
        new Spec(
            "device:" + spec.account() + ":" + spec.session(),
            spec.epoch(),
            spec.sequence(),
            spec.account(),
            "device " + spec.content(),
            spec.end(),
            spec.bill(),
            true,
            null);
    Device device = new Device(own, bytes, end);
    devices.put(place(spec), device);
    Long reported = snaptBytes.get(place(spec));
    if (reported == null) {
      return ReportVerdict.PROVISIONAL;
    }
    compare(device, reported);
    return ReportVerdict.POSTED;
  }

  private void compare(Device device, long reported) {
    device.isDecided = true;
    long difference = Math.abs(reported - device.bytes);
    if (difference > 1 << 20 && 20 * difference > Math.max(reported, device.bytes)) {
      discrepancies++;
      device.isDiscrepant = true;
    }
  }

  /// Charges what is due by devices' reports, and makes lasting what can no longer be replaced.
  void chargeByDevices(Instant now) {
    for (Map.Entry<String, Device> each : devices.entrySet()) {
      Device device = each.getValue();
      if (!device.isDecided
          && !device.isUncharged
          && device.charged == null
          && device.end.isBefore(now.minus(MediationRig.CHARGE_AFTER))
          && !heldPlaces.containsValue(each.getKey())) {
        charge(device);
      }
    }
    for (Map.Entry<String, Device> each : devices.entrySet()) {
      Device device = each.getValue();
      if (device.charged != null
          && device.charged.isReplaceable()
          && device.end.isBefore(now.minus(MediationRig.ADJUSTMENT))
          && !heldPlaces.containsValue(each.getKey())) {
        device.charged.signed = true;
      }
    }
    devices
        .values()
        .removeIf(device ->
            device.isDecided
                && !device.isDiscrepant
                && device.charged == null
                && device.end.isBefore(now.minus(MediationRig.ADJUSTMENT.multipliedBy(2))));
  }

  private void charge(Device device) {
    List<BillLines> flows = flows(device.spec, device.end);
    BillLines bill = sum(flows);
    long sum =
        intervals.values().stream()
            .filter(i -> i.isReplaceable() && i.spec.account().equals(device.spec.account()))
            .mapToLong(i -> i.bill().gross().value())
            .sum();
    if (sum + bill.gross().value() > MediationRig.DEVICE_BOUND.value()) {
      device.isUncharged = true;
      return;
    }
    device.charged = Interval.byDevice(device, flows);
    intervals.put(device.spec.key(), device.charged);
    post(device.charged, bill);
    pay(device.charged);
  }

  // The SNAPT's report takes the place of the device's.
  private void replace(Spec spec, long bytes) {
    snaptBytes.put(place(spec), bytes);
    Device device = devices.get(place(spec));
    if (device == null) {
      return;
    }
    Interval charged = device.charged;
    if (charged != null) {
      post(charged, BillLines.NOTHING.minus(charged.bill()));
      charged.isVoid = true;
      for (int i = 0; i < charged.flows.size(); i++) {
        giveBack(charged, i, charged.flows.get(i).net().value(), 0);
      }
    }
    compare(device, bytes);
  }

  private boolean isChargedForGood(Spec spec) {
    Device device = devices.get(place(spec));
    return device != null
        && device.charged != null
        && device.charged.signed
        && !device.charged.isVoid;
  }

  ReportVerdict submit(Spec spec, long bytes, Instant now) {
    if (!keysOfRound.add(spec.key())) {
      endRound();
      keysOfRound.add(spec.key());
    }
    Interval known = intervals.get(spec.key());
    if (known != null) {
      return again(known, spec);
    }
    if (isChargedForGood(spec)) {
      return ReportVerdict.REJECTED;
    }
    Instant first = held.getOrDefault(spec.content(), now);
    Instant end = believed(spec.end(), first);
    if (!held.containsKey(spec.content())
        && (spec.epoch() < epochs.getOrDefault(spec.session(), 0L)
            || Duration.between(end, now).compareTo(MediationRig.ADJUSTMENT) > 0)) {
      return ReportVerdict.REJECTED;
    }
    List<BillLines> flows = flows(spec, end);
    BillLines bill = sum(flows);
    if (!accounts.contains(spec.account())
        || !spec.signed() && unsigned(spec.account()) + bill.gross().value() > unsignedBound) {
      held.putIfAbsent(spec.content(), now);
      heldPlaces.put(spec.content(), place(spec));
      heldSpecs.put(spec.content(), spec);
      return spec.signed() ? ReportVerdict.HELD : ReportVerdict.PROVISIONAL;
    }
    epochs.merge(spec.session(), spec.epoch(), Math::max);
    boolean late = !first.isBefore(end.plus(MediationRig.GRACE));
    Interval interval = new Interval(spec, flows, end, late);
    intervals.put(spec.key(), interval);
    heldPlaces.remove(spec.content());
    heldSpecs.remove(spec.content());
    post(interval, bill);
    replace(spec, bytes);
    unpaid.add(interval);
    return spec.signed() ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL;
  }

  /// Ends a batch of reports. Wallets pay last, when all reversals have given them back theirs.
  void endRound() {
    unpaid.forEach(this::pay);
    unpaid.clear();
    keysOfRound.clear();
  }

  private void pay(Interval interval) {
    for (int i = 0; i < interval.flows.size(); i++) {
      pay(interval, i, interval.flows.get(i).net().value());
    }
  }

  private void pay(Interval interval, int flow, long amount) {
    wallets.pay(
        interval.spec.account(), new OracleWallets.Charge(interval, flow), interval.start, amount);
  }

  private void giveBack(Interval interval, int flow, long amount, long cost) {
    wallets.giveBack(Set.of(new OracleWallets.Charge(interval, flow)), amount, cost);
  }

  /// Grants money that expires. Returns true if it moved money.
  boolean grant(String key, String account, long amount, Instant expiresAt) {
    if (!grantKeys.add(key)) {
      return false;
    }
    wallets.grant(account, amount, expiresAt);
    move("GRANTS", "USER:" + account, amount);
    return true;
  }

  /// Lets wallets expire.
  void expire(Instant now, Predicate<String> isWaiting) {
    wallets
        .expire(now, isWaiting)
        .forEach(expiry -> move("USER:" + expiry.account(), "GRANTS", expiry.amount()));
  }

  /// Gives back what accounts paid above the caps of hours and days, for days that nothing can
  /// change any more.
  ///
  /// @param ofHour for an application, micro-denarii
  /// @param ofDay for an account, micro-denarii
  void creditCaps(long ofHour, long ofDay) {
    intervals.values().stream()
        .filter(interval -> !isWaiting(interval.spec.account(), interval.day()))
        .collect(groupingBy(interval -> interval.spec.account() + " " + interval.day()))
        .values()
        .forEach(day -> creditCaps(day, ofHour, ofDay));
  }

  private boolean isWaiting(String account, LocalDate day) {
    return intervals.values().stream()
            .anyMatch(i ->
                i.spec.account().equals(account)
                    && i.day().equals(day)
                    && !i.isVoid
                    && !(i.signed && (i.settled || i.late)))
        || heldSpecs.values().stream().anyMatch(spec -> spec.account().equals(account));
  }

  private void creditCaps(List<Interval> day, long ofHour, long ofDay) {
    Map<String, Set<OracleWallets.Charge>> byHour = new TreeMap<>();
    Map<String, Long> paid = new TreeMap<>();
    for (Interval interval : day) {
      for (int i = 0; i < interval.flows.size() && !interval.isVoid; i++) {
        String hour = interval.start.truncatedTo(ChronoUnit.HOURS) + " " + APPLICATION.apply(i);
        byHour
            .computeIfAbsent(hour, _ -> new HashSet<>())
            .add(new OracleWallets.Charge(interval, i));
        // Only intervals with one flow are refunded.
        paid.merge(hour, interval.flows.get(i).net().value() - interval.refunded, Math::addExact);
      }
    }
    String account = day.getFirst().spec.account();
    long left = 0;
    Set<OracleWallets.Charge> all = new HashSet<>();
    for (Map.Entry<String, Set<OracleWallets.Charge>> hour : byHour.entrySet()) {
      left += cap(account, hour.getValue(), paid.getOrDefault(hour.getKey(), 0L), ofHour);
      all.addAll(hour.getValue());
    }
    cap(account, all, left, ofDay);
  }

  // Returns what the cap leaves.
  private long cap(String account, Set<OracleWallets.Charge> charges, long paid, long cap) {
    long above = Math.max(0, paid - cap);
    move("CAPS", "USER:" + account, above);
    wallets.giveBack(charges, above, paid - above);
    return paid - above;
  }

  private void post(Interval interval, BillLines lines) {
    String payer = "USER:" + interval.spec.account();
    String counterpart = interval.late ? "ADJUSTMENT" : "CLEARING";
    move(payer, counterpart, lines.charge().value() + lines.surcharge().value());
    move("DISCOUNT", payer, lines.discount().value());
    move("DISCOUNT", "PROVIDER", lines.reward().value());
    move(payer, "FEES", lines.accessFee().value());
    move("ADJUSTMENT", payer, lines.refund().value());
  }

  /// Makes bills again: those that are posted, and those of reports that come later.
  void rerate(Correction correction) {
    corrections.add(correction);
  }

  /// Makes the bills again that wait for it: correction by correction, in each first the bills that
  /// get lower.
  void workOff() {
    for (int i = 0; i < corrections.size(); i++) {
      List<Runnable> raised = new ArrayList<>();
      for (Interval interval : intervals.values()) {
        if (interval.corrected == i) {
          interval.corrected++;
          correct(interval, corrections.get(i), raised);
        }
      }
      raised.forEach(Runnable::run);
    }
  }

  // An interval whose charge was refunded by more than its new bill keeps the one that it has.
  private void correct(Interval interval, Correction correction, List<Runnable> raised) {
    if (interval.isVoid || !correction.concerns(interval)) {
      return;
    }
    List<BillLines> flows = interval.spec.bill().apply(correction.tariff());
    BillLines corrected = sum(flows);
    if (interval.refunded > corrected.net().value()) {
      return;
    }
    post(interval, corrected.minus(interval.bill()));
    if (interval.settled) {
      settle(interval, interval.bill(), -1);
      settle(interval, corrected, 1);
    }
    for (int i = 0; i < flows.size(); i++) {
      int flow = i;
      long cost = flows.get(i).net().value();
      long more = cost - interval.flows.get(i).net().value();
      if (more > 0) {
        raised.add(() -> pay(interval, flow, more));
      } else {
        giveBack(interval, flow, -more, cost - interval.refunded);
      }
    }
    interval.flows = flows;
  }

  private static ReportVerdict again(Interval known, Spec spec) {
    if (!known.spec.content().equals(spec.content())) {
      return ReportVerdict.CONFLICT;
    }
    if (known.signed) {
      return ReportVerdict.ALREADY_POSTED;
    }
    known.signed = spec.signed();
    return known.signed ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL;
  }

  private long unsigned(String account) {
    return intervals.values().stream()
        .filter(i -> !i.signed && !i.byDevice && i.spec.account().equals(account))
        .mapToLong(i -> i.reported.gross().value())
        .sum();
  }

  // If the SNAPT's clock is ahead, the interval ends when the report was received; reports have
  // milliseconds.
  private static Instant believed(Instant end, Instant received) {
    return end.isAfter(received.plusSeconds(30)) ? received.truncatedTo(ChronoUnit.MILLIS) : end;
  }

  void settle(Instant now) {
    for (Interval interval : intervals.values()) {
      if (interval.signed && !interval.late && !interval.settled && !now.isBefore(interval.due)) {
        settle(interval, interval.bill(), 1);
        interval.settled = true;
      }
    }
  }

  // Shares a charge. The sign is -1 to take the shares back.
  private void settle(Interval interval, BillLines bill, int sign) {
    Relay relay = interval.spec.relay();
    if (relay != null) {
      BigDecimal share = BigDecimal.valueOf(tariffAt(interval.start).relayShare());
      BigDecimal reward =
          BigDecimal.valueOf(bill.charge().value()).multiply(share).multiply(relay.part());
      move(
          "REVENUE",
          "USER:" + relay.account(),
          sign * reward.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
    }
    long charge = bill.charge().value();
    long fee =
        new BigDecimal(charge)
            .divide(BigDecimal.TEN)
            .setScale(0, RoundingMode.HALF_EVEN)
            .longValueExact();
    move("CLEARING", "PROVIDER", sign * (fee + bill.surcharge().value()));
    move("CLEARING", "REVENUE", sign * (charge - fee));
  }

  /// Returns the posted reports with one flow, whose bill is that of their only charge.
  List<Spec> refundable() {
    return intervals.values().stream()
        .map(interval -> interval.spec)
        .filter(spec -> spec.sequence() % 3 == 0)
        .toList();
  }

  /// Returns what the user has paid for a posted report.
  long net(Spec spec) {
    return intervals.get(spec.key()).bill().net().value();
  }

  /// Refunds a charge. Returns true if it moved money: never more than was paid, once per key.
  boolean refund(String key, Spec spec, long amount) {
    Interval interval = intervals.get(spec.key());
    if (creditKeys.contains(key)
        || interval.isVoid
        || interval.isReplaceable()
        || interval.refunded + amount > net(spec)) {
      return false;
    }
    creditKeys.add(key);
    interval.refunded += amount;
    giveBack(interval, 0, amount, net(spec) - interval.refunded);
    move("GOODWILL", "USER:" + interval.spec.account(), amount);
    return true;
  }

  /// Credits an account. Returns true if it moved money.
  boolean credit(String key, String account, long amount) {
    if (!creditKeys.add(key)) {
      return false;
    }
    move("GOODWILL", "USER:" + account, amount);
    return true;
  }

  /// Posts a top-up. Returns true if it moved money.
  boolean topUp(String key, String account, long amount) {
    if (topUpKeys.putIfAbsent(key, account + " " + amount) != null) {
      return false;
    }
    move("ISSUANCE", "USER:" + account, amount);
    return true;
  }

  long balance(String name) {
    return balances.getOrDefault(name, 0L);
  }

  int size() {
    return intervals.size();
  }
}
