package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.control.ControlWay;
import io.viaduct.cnapt.control.HandshakeRace;
import io.viaduct.cnapt.control.Snapt;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OpenLinesTest {
  private static final HandshakeRace.Winner OTHER =
      new HandshakeRace.Winner(
          new Snapt("snapt-2", "192.0.2.2", 443),
          new ControlWay(null, InetAddress.ofLiteral("192.0.2.2")));

  private long nowNs;
  private int races;
  private Consumer<HandshakeRace.Winner> found;
  private OpenLines<Line> open;

  /// One line, as the laboratory's lines are: it changes what the test says.
  private final class Line implements OpenLines.Line {
    private boolean hasSession;
    private boolean drains;
    private boolean isSilent;
    private boolean isEnding;
    private boolean hasFlows;
    private boolean isMoving;
    private boolean isSurplus;
    private HandshakeRace.Winner asked;
    private int left;

    private void serves() {
      hasSession = true;
      isSilent = false;
      drains = false;
      open.look();
    }

    private void drains() {
      drains = true;
      open.look();
    }

    private void silent() {
      isSilent = true;
      open.look();
    }

    private void ended() {
      hasSession = false;
      asked = null;
      open.slept(this);
      open.look();
    }

    @Override
    public String name() {
      return "a line";
    }

    @Override
    public boolean hasSession() {
      return hasSession;
    }

    @Override
    public boolean isDraining() {
      return drains;
    }

    @Override
    public boolean answers() {
      return !isSilent;
    }

    @Override
    public boolean isEnding() {
      return isEnding;
    }

    @Override
    public boolean hasFlows() {
      return hasFlows;
    }

    @Override
    public boolean isEmptied() {
      return !hasFlows && (drains || isSurplus);
    }

    @Override
    public boolean isMoving() {
      return isMoving;
    }

    @Override
    public void open(HandshakeRace.Winner first) {
      asked = first;
    }

    @Override
    public void sleep(String why) {
      ended();
    }

    @Override
    public void surplus(boolean isOne) {
      isSurplus = isOne;
    }

    @Override
    public void leave(String why) {
      left++;
    }
  }

  private List<Line> lines(int wanted) {
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i <= wanted; i++) {
      lines.add(new Line());
    }
    open =
        new OpenLines<>(
            lines,
            wanted,
            () -> List.of(OTHER.at()),
            (_, done) -> {
              races++;
              found = done;
            },
            () -> nowNs);
    lines
        .subList(0, wanted)
        .forEach(each -> {
          each.hasSession = true;
          each.hasFlows = true;
        });
    open.look();
    return lines;
  }

  @Test
  void aLineThatDrainsGetsAStandInAtOnceAndIsLeftWhenItsLastFlowIsOver() {
    List<Line> lines = lines(1);
    Line home = lines.getFirst();
    Line standIn = lines.getLast();
    assertThat(races).isZero();
    home.drains();
    assertThat(races).isEqualTo(1);
    found.accept(OTHER);
    assertThat(standIn.asked).isEqualTo(OTHER);
    home.hasFlows = false;
    open.look();
    assertThat(home.left).as("the stand-in does not serve yet").isZero();
    assertThat(open.isSurplus(home)).isFalse();
    standIn.serves();
    assertThat(home.left).isEqualTo(1);
    assertThat(open.isSurplus(home)).isTrue();
    home.ended();
    assertThat(open.isOpen(home)).isFalse();
    assertThat(open.isOpen(standIn)).isTrue();
    standIn.hasFlows = true;
    standIn.drains();
    found.accept(OTHER);
    assertThat(home.asked).as("the line that has slept stands in next").isEqualTo(OTHER);
  }

  @Test
  void aLineThatDrainsWithoutAFlowMovesByItself() {
    Line home = lines(1).getFirst();
    home.hasFlows = false;
    home.drains();
    home.hasFlows = true;
    home.isMoving = true;
    open.unserved();
    assertThat(races).isZero();
    home.isMoving = false; // the other one has refused, and a flow has begun
    open.unserved();
    assertThat(races).isEqualTo(1);
  }

  @Test
  void aSilentLineGetsAStandInOnlyForPacketsAndGoesOnWhenItIsBackBefore() {
    List<Line> lines = lines(1);
    Line home = lines.getFirst();
    Line standIn = lines.getLast();
    home.silent();
    assertThat(races).as("an idle device waits").isZero();
    open.unserved();
    home.serves();
    found.accept(OTHER);
    assertThat(standIn.asked).as("nothing is opened").isNull();
    home.silent();
    open.unserved();
    found.accept(OTHER);
    assertThat(standIn.asked).isEqualTo(OTHER);
    home.serves();
    assertThat(standIn.asked).as("it has no session yet").isNull();
    assertThat(open.isOpen(standIn)).isFalse();
  }

  @Test
  void ofTwoLinesThatServeTheOneWithoutFlowsGoesElseTheOneThatWasOpenedLast() {
    List<Line> lines = lines(1);
    Line home = lines.getFirst();
    Line standIn = lines.getLast();
    home.silent();
    open.unserved();
    found.accept(OTHER);
    standIn.hasFlows = true;
    standIn.serves();
    assertThat(standIn.isSurplus).isFalse();
    home.serves();
    assertThat(standIn.isSurplus).as("both have flows").isTrue();
    assertThat(home.isSurplus).isFalse();
    assertThat(open.isSurplus(standIn)).isTrue();
    home.hasFlows = false;
    open.look();
    assertThat(standIn.isSurplus).isFalse();
    assertThat(home.isSurplus).isTrue();
    home.silent();
    assertThat(home.isSurplus).as("one serves").isFalse();
  }

  @Test
  void anOutageOfTheNetworkIsNoReasonAndTheSearchPausesLongerEachTime() {
    Line home = lines(1).getFirst();
    home.silent();
    open.unserved();
    found.accept(null);
    nowNs += OpenLines.PAUSE_NS_MIN - 1;
    open.unserved();
    assertThat(races).isEqualTo(1);
    nowNs++;
    open.unserved();
    found.accept(null);
    nowNs += OpenLines.PAUSE_NS_MIN;
    open.unserved();
    assertThat(races).as("the pause has doubled").isEqualTo(2);
    home.serves();
    home.silent();
    open.unserved();
    assertThat(races).as("it begins anew").isEqualTo(3);
  }

  @Test
  void noThirdLineIsOpenedWhenBothSnaptsLeave() {
    List<Line> lines = lines(1);
    lines.getFirst().drains();
    found.accept(OTHER);
    Line standIn = lines.getLast();
    standIn.hasFlows = true;
    standIn.serves();
    standIn.drains();
    open.unserved();
    assertThat(races).isEqualTo(1);
    assertThat(open.isSurplus(lines.getFirst())).as("it looks for another one").isFalse();
  }

  @Test
  void withTwoLinesAStandInComesOnlyWhenNeitherServes() {
    List<Line> lines = lines(2);
    lines.getFirst().drains();
    open.unserved();
    assertThat(races).isZero();
    lines.get(1).silent();
    assertThat(races).isEqualTo(1);
    found.accept(OTHER);
    Line standIn = lines.getLast();
    standIn.serves();
    assertThat(open.isSurplus(lines.getFirst())).as("two are wanted").isFalse();
    lines.get(1).serves();
    assertThat(open.isSurplus(lines.getFirst())).isTrue();
    assertThat(standIn.isSurplus).isFalse();
  }

  @Test
  void aSessionBesideThatOfAnotherLineServesNoNewFlow() {
    List<Line> lines = lines(1);
    lines.getFirst().drains();
    found.accept(OTHER);
    lines.getLast().serves();
    Line moved = lines.getFirst(); // its session is at the SNAPT of the stand-in now
    moved.isEnding = true;
    moved.serves();
    assertThat(lines.getLast().isSurplus).isFalse();
    assertThat(open.isSurplus(moved)).isTrue();
  }
}
