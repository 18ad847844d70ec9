#!/bin/sh
# heddle list area, what mechanisms cost in hardware: run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"
wide=no

# The figures that papers print, on the papers' machines; tests/unit/test_cost.c has the formulas.
# Published energies per event, each with its source.
check energy 0 '^control +39 pJ: decoding .*' - list energy
wide=yes
check energy-source 0 '"name":"fp32","picojoules":"3.7".*ISSCC 2014' - list energy --json
wide=no

check table 0 '^pdom +162432 +\+0 +\+0 % ' - list area
check table-none 0 '^mimd +- +ideal' - list area
check table-tbc 0 '^tbc +[0-9]+ .* << 1 mm2 +32 priority encoders of 32' - list area
check tbc-encoders 0 '^  priority encoder +32 of 32 bits$' - list area --mech tbc --gpu fx5800
check dpe-entry 0 '^  dual-path entry +160 bits$' - list area --mech dpe
check dpe-single 0 '^  single-path entry +96 bits$' - list area --mech dpe
check dpe-shadow-most 0 '^  shadow bits, most +14\.3 %$' - list area --mech dpe
check dpe-shadow-least 0 '^  shadow bits, least +7\.1 %$' - list area --mech dpe
check tstbc-added 0 '^  wcnt, per multiprocessor +128 bytes$' - list area --mech tstbc
check vws-table 0 '^gpu_percent .* 4\.886 +2\.631 ' - list area --mech vws
check vws-sm 0 '^sm_percent .* 10\.770 +5\.800 ' - list area --mech vws
check vws-of-the-paper 0 '^area that the paper gives: 1\.72 mm2, 10\.8 % of a multiprocessor$' - list area --mech vws
check volta 0 '^  barrier registers +24576 bits$' - list area --mech volta
check bound 0 '^bound: none \(ideal' - list area --mech bound

# Knobs of the machine and of any mechanism.
check set-machine 0 '^l0_mm2 .* 0\.103 ' - list area --mech vws --set sm.l0_bytes=512
check set-mechanism 0 '^gang_table_mm2 .* 0\.013 ' - list area --mech vws --set vws.table_ways=2
check set-ports 0 '^l1i_ports_mm2 .* 0\.000 ' - list area --mech vws --set vws.fetch_ports=1
check narrow-warps 0 '^sm_mm2 .*[0-9] +- +-$' - list area --mech vws --gpu tiny
check set-gpu 0 '^l0_mm2 .* 0\.000 ' - list area --mech vws --gpu vws
check set-depth 0 '^ +336 x 160: ' - list area --mech dpe --set pdom.stack_entries=11
check set-own-depth 0 '^ +768 x 96: ' - list area --mech pdom --set pdom.stack_entries=16
check set-table 0 '^  warp-split table +[0-9]+ bits$' - list area --mech dws --set dws.entries=4
check set-other 0 '^dws +164088 ' - list area --set dws.entries=4
check set-unknown 2 - 'nosuch' list area --set vws.nosuch=1
check set-of-none 2 - "'mimd.a=1' is no knob and value of mimd" list area --set mimd.a=1
check set-without-value 2 - "'dws.entries' is no knob and value of dws" list area --set dws.entries
check set-without-knob 2 - 'is no knob and value of dws' list area --set dws=1
check no-gpu 2 - "no machine and no file 'nosuch'" list area --gpu nosuch
check no-mechanism 2 - "there is no mechanism 'nosuch'" list area --mech nosuch
check mechanism-misplaced 2 - '--mech is for area' list knobs --mech tbc

# Every mechanism has a row on every machine, in lines of 100 columns; with --json an object per line.
for machine in $("$heddle" list machines --names); do
    check "table of $machine" 0 "^per multiprocessor of $machine: " - list area --gpu "$machine"
    cp "$scratch/out" "$scratch/table"
    for mechanism in $("$heddle" list mechanisms --names); do
        expect "$mechanism on $machine has a row" grep -q "^$mechanism  *[0-9-]" "$scratch/table"
        check "$mechanism on $machine" 0 "^$mechanism: " - list area --mech "$mechanism" --gpu "$machine"
    done
done
expect "no mechanism is without a cost" sh -c "! grep -q 'does not say' '$scratch/table'"
wide=yes
check json 0 '^\{"name":"dpe","machine":"fermi","bits":[0-9]+,"added_bits":[0-9]+,"terms":\[\{"kind":"storage",' - \
    list area --json
expect "one object per mechanism" [ "$(grep -c '^{.*}$' "$scratch/out")" -eq "$("$heddle" list mechanisms --names | wc -l)" ]
check json-none 0 '"none":"ideal' - list area --json --mech mimd
check json-bound 0 '"area_below_mm2":1\.0000,' - list area --json --mech tbc
check json-vws 0 '"area_percent":10\.7697,.*"by_slice_width":\{"l1i_ports_mm2":\{"1":' - list area --json --mech vws
wide=no

echo "$count checks of list area, $failed failed"
[ $failed -eq 0 ]
