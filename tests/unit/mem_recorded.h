/* Recorded by test_mem_recorded --record: {machine, pattern, what came of it}. */
{"fermi", 0,
 "cycles 33136 replies 7d759371db012d1c l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
 "l1d.hits 5 l1d.misses 19195 l1d.merges 1 l1d.replies 600 l1d.latency_cycles 983999 l1d.longest_cycles "
 "3149 l1d.busy_cycles 19200 l1d.mshr_stall_cycles 437442 l1d.miss_queue_stall_cycles 255 "
 "crossbar.requests 19194 crossbar.request_bytes 153552 crossbar.replies 19194 crossbar.reply_bytes "
 "2610384 l2.accesses 19194 l2.hits 183 l2.misses 19011 l2.merges 6 l2.reads 19194 l2.dram_stall_cycles "
 "99501 dram.reads 19005 dram.bytes 2432640 dram.row_hits 140 dram.row_misses 18865 dram.activates "
 "18865 dram.precharges 18769 dram.bus_cycles 76020 dram.deepest_queue 16"},
    {"fermi", 1,
     "cycles 36944 replies 08fe75ade2f321b8 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 1697 l1d.misses 26910 l1d.merges 254 l1d.replies 900 l1d.latency_cycles 1250620 "
     "l1d.longest_cycles 2841 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 501714 "
     "l1d.miss_queue_stall_cycles 255 crossbar.requests 26656 crossbar.request_bytes 213248 "
     "crossbar.replies 26656 crossbar.reply_bytes 3625216 l2.accesses 26656 l2.hits 24407 l2.misses 2249 "
     "l2.merges 201 l2.reads 26656 l2.mshr_stall_cycles 44 l2.dram_stall_cycles 1495 l2.reply_stall_cycles "
     "59865 dram.reads 2048 dram.bytes 262144 dram.row_hits 1976 dram.row_misses 72 dram.activates 72 "
     "dram.bus_cycles 8192 dram.deepest_queue 16"},
    {"fermi", 2,
     "cycles 18896 replies f387a8beea32763c l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 2643224 l1d.longest_cycles 941 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 252538 l1d.miss_queue_stall_cycles 255 crossbar.requests 18000 "
     "crossbar.request_bytes 144000 crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 "
     "l2.misses 18000 l2.reads 18000 l2.mshr_stall_cycles 588 l2.dram_stall_cycles 81985 dram.reads 18000 "
     "dram.bytes 2304000 dram.row_hits 17436 dram.row_misses 564 dram.activates 564 dram.precharges 468 "
     "dram.bus_cycles 72000 dram.deepest_queue 16"},
    {"fermi", 3,
     "cycles 24048 replies 8bdbcd9271c93e88 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 3120457 l1d.longest_cycles 1377 "
     "l1d.busy_cycles 24000 l1d.mshr_stall_cycles 315722 l1d.miss_queue_stall_cycles 906 "
     "l1d.write_queue_stall_cycles 2355 crossbar.requests 24000 crossbar.request_bytes 1728000 "
     "crossbar.replies 12000 crossbar.reply_bytes 1632000 l2.accesses 24000 l2.hits 12000 l2.misses 12000 "
     "l2.reads 12000 l2.writes 12000 l2.writebacks 9011 l2.dram_stall_cycles 82185 dram.reads 12000 "
     "dram.writes 9011 dram.bytes 2689408 dram.row_hits 20331 dram.row_misses 680 dram.activates 680 "
     "dram.precharges 584 dram.bus_cycles 84044 dram.deepest_queue 16"},
    {"fermi", 4,
     "cycles 3440 replies 545ff1cdb766f1fd l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5601 l1d.misses 1899 l1d.merges 939 l1d.replies 7500 l1d.latency_cycles 1766166 "
     "l1d.longest_cycles 2599 l1d.busy_cycles 7500 l1d.mshr_stall_cycles 24486 l1d.miss_queue_stall_cycles "
     "255 crossbar.requests 960 crossbar.request_bytes 7680 crossbar.replies 960 crossbar.reply_bytes "
     "130560 l2.accesses 960 l2.hits 704 l2.misses 256 l2.merges 192 l2.reads 960 l2.merge_stall_cycles "
     "7100 dram.reads 64 dram.bytes 8192 dram.row_hits 52 dram.row_misses 12 dram.activates 12 "
     "dram.bus_cycles 256 dram.deepest_queue 2"},
    {"fermi", 5,
     "cycles 121696 replies bef15ee6b1b44df3 l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 742 l1d.misses 15436 l1d.merges 62 l1d.stores 8543 l1d.store_hits 351 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 1811552 l1d.longest_cycles 1877 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 218114 l1d.miss_queue_stall_cycles 5566 l1d.write_queue_stall_cycles 8070 "
     "constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 182 "
     "constant.misses 12207 constant.merges 6946 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 1608765 constant.longest_cycles 12577 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 1374368 constant.miss_queue_stall_cycles 721 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 48 texture.misses 2368 texture.merges 1 "
     "texture.bypasses 408 texture.replies 281 texture.latency_cycles 179624 texture.longest_cycles 1359 "
     "texture.busy_cycles 2824 texture.miss_queue_stall_cycles 4367 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 130090 instruction.longest_cycles 1137 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 3253 instruction.miss_queue_stall_cycles "
     "852 crossbar.requests 42886 crossbar.request_bytes 553804 crossbar.replies 38953 crossbar.reply_bytes "
     "3556844 crossbar.queue_full 25 l2.accesses 42886 l2.hits 26394 l2.misses 16492 l2.merges 157 l2.reads "
     "28334 l2.writes 8543 l2.atomics 6009 l2.writebacks 5914 l2.mshr_stall_cycles 7 l2.dram_stall_cycles "
     "1336 l2.reply_stall_cycles 2021 l2.atomic_stall_cycles 1 dram.reads 16335 dram.writes 5914 dram.bytes "
     "2847872 dram.row_hits 1778 dram.row_misses 20471 dram.activates 20471 dram.precharges 20375 "
     "dram.bus_cycles 88996 dram.deepest_queue 16"},
    {"fx5800", 0,
     "cycles 31632 replies 8c1c0f7fbc735e7c l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 4 l1d.misses 19196 l1d.replies 600 l1d.latency_cycles 1594384 l1d.longest_cycles 4929 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 415762 l1d.miss_queue_stall_cycles 743 crossbar.requests "
     "19196 crossbar.request_bytes 153568 crossbar.replies 19196 crossbar.reply_bytes 1228544 l2.accesses "
     "19196 l2.hits 157 l2.misses 19039 l2.merges 1 l2.reads 19196 l2.dram_stall_cycles 88695 dram.reads "
     "19038 dram.bytes 1218432 dram.row_hits 146 dram.row_misses 18892 dram.activates 18892 dram.precharges "
     "18828 dram.bus_cycles 152304 dram.deepest_queue 32"},
    {"fx5800", 1,
     "cycles 18480 replies cefeda2a6cdbf6c0 l1d.issued 900 l1d.transactions 28699 l1d.accesses 28699 "
     "l1d.hits 2869 l1d.misses 25830 l1d.merges 356 l1d.replies 900 l1d.latency_cycles 1180996 "
     "l1d.longest_cycles 3247 l1d.busy_cycles 28699 l1d.mshr_stall_cycles 233408 "
     "l1d.miss_queue_stall_cycles 741 crossbar.requests 25474 crossbar.request_bytes 203792 "
     "crossbar.replies 25474 crossbar.reply_bytes 1630336 l2.accesses 25474 l2.hits 20956 l2.misses 4518 "
     "l2.merges 425 l2.reads 25474 l2.dram_stall_cycles 12418 l2.reply_stall_cycles 19236 dram.reads 4093 "
     "dram.bytes 261952 dram.row_hits 3067 dram.row_misses 1026 dram.activates 1026 dram.precharges 962 "
     "dram.bus_cycles 32744 dram.deepest_queue 32"},
    {"fx5800", 2,
     "cycles 58624 replies 9d54235562ee271c l1d.issued 4500 l1d.transactions 36000 l1d.accesses 36000 "
     "l1d.misses 36000 l1d.replies 4500 l1d.latency_cycles 7799146 l1d.longest_cycles 1877 l1d.busy_cycles "
     "36000 l1d.mshr_stall_cycles 818712 l1d.miss_queue_stall_cycles 739 crossbar.requests 36000 "
     "crossbar.request_bytes 288000 crossbar.replies 36000 crossbar.reply_bytes 2304000 l2.accesses 36000 "
     "l2.misses 36000 l2.reads 36000 l2.dram_stall_cycles 196222 dram.reads 36000 dram.bytes 2304000 "
     "dram.row_hits 34872 dram.row_misses 1128 dram.activates 1128 dram.precharges 1064 dram.bus_cycles "
     "288000 dram.deepest_queue 32"},
    {"fx5800", 3,
     "cycles 39136 replies 283d8a054b563628 l1d.issued 6000 l1d.transactions 48000 l1d.accesses 24000 "
     "l1d.misses 24000 l1d.stores 24000 l1d.replies 3000 l1d.latency_cycles 4994030 l1d.longest_cycles 2045 "
     "l1d.busy_cycles 48000 l1d.mshr_stall_cycles 434737 l1d.miss_queue_stall_cycles 23047 "
     "l1d.write_queue_stall_cycles 57015 crossbar.requests 48000 crossbar.request_bytes 1920000 "
     "crossbar.replies 24000 crossbar.reply_bytes 1536000 crossbar.queue_full 23331 l2.accesses 48000 "
     "l2.hits 24000 l2.misses 24000 l2.reads 24000 l2.writes 24000 l2.dram_stall_cycles 96728 dram.reads "
     "24000 dram.bytes 1536000 dram.row_hits 23248 dram.row_misses 752 dram.activates 752 dram.precharges "
     "688 dram.bus_cycles 192000 dram.deepest_queue 32"},
    {"fx5800", 4,
     "cycles 2432 replies a3ac57113825dc47 l1d.issued 7500 l1d.transactions 15000 l1d.accesses 15000 "
     "l1d.hits 11085 l1d.misses 3915 l1d.merges 1995 l1d.replies 7500 l1d.latency_cycles 1241415 "
     "l1d.longest_cycles 1141 l1d.busy_cycles 15000 l1d.mshr_stall_cycles 14848 l1d.miss_queue_stall_cycles "
     "737 crossbar.requests 1920 crossbar.request_bytes 15360 crossbar.replies 1920 crossbar.reply_bytes "
     "122880 l2.accesses 1920 l2.misses 1920 l2.merges 1792 l2.reads 1920 dram.reads 128 dram.bytes 8192 "
     "dram.row_hits 120 dram.row_misses 8 dram.activates 8 dram.bus_cycles 1024 dram.deepest_queue 1"},
    {"fx5800", 5,
     "cycles 29952 replies bf8a515256a85112 l1d.issued 3382 l1d.transactions 37561 l1d.accesses 18337 "
     "l1d.hits 1245 l1d.misses 17092 l1d.merges 89 l1d.stores 9586 l1d.store_hits 628 l1d.bypasses 2909 "
     "l1d.atomics 6729 l1d.replies 2963 l1d.latency_cycles 3530395 l1d.longest_cycles 3371 l1d.busy_cycles "
     "37561 l1d.mshr_stall_cycles 201146 l1d.miss_queue_stall_cycles 86347 l1d.write_queue_stall_cycles "
     "78512 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 159 "
     "constant.misses 12230 constant.merges 6974 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 757607 constant.longest_cycles 4150 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 3409 constant.miss_queue_stall_cycles 88291 texture.issued 281 "
     "texture.transactions 3159 texture.accesses 2694 texture.hits 38 texture.misses 2656 texture.merges 2 "
     "texture.bypasses 465 texture.replies 281 texture.latency_cycles 397595 texture.longest_cycles 4809 "
     "texture.busy_cycles 3159 texture.miss_queue_stall_cycles 67768 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 285603 instruction.longest_cycles 4790 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 14075 instruction.miss_queue_stall_cycles "
     "29768 crossbar.requests 46928 crossbar.request_bytes 586140 crossbar.replies 42491 "
     "crossbar.reply_bytes 2044708 crossbar.queue_full 25001 l2.accesses 46928 l2.hits 29755 l2.misses "
     "17173 l2.merges 382 l2.reads 30613 l2.writes 9586 l2.atomics 6729 l2.dram_stall_cycles 26190 "
     "l2.reply_stall_cycles 14620 l2.atomic_stall_cycles 3 dram.reads 16791 dram.bytes 1074624 "
     "dram.row_hits 1994 dram.row_misses 14797 dram.activates 14797 dram.precharges 14733 dram.bus_cycles "
     "134328 dram.deepest_queue 32"},
    {"volta", 0,
     "cycles 4100 replies acb7b0c9124e72ea l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 4 l1d.misses 19196 l1d.replies 600 l1d.latency_cycles 620079 l1d.longest_cycles 1483 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 23883 crossbar.requests 19196 crossbar.request_bytes "
     "153568 crossbar.replies 19196 crossbar.reply_bytes 767840 crossbar.queue_full 631 l2.accesses 19196 "
     "l2.hits 65 l2.misses 19131 l2.merges 19 l2.reads 19196 l2.dram_stall_cycles 130991 dram.reads 19112 "
     "dram.bytes 611584 dram.row_hits 1152 dram.row_misses 17960 dram.activates 17960 dram.precharges 17448 "
     "dram.bus_cycles 19112 dram.deepest_queue 64"},
    {"volta", 1,
     "cycles 2260 replies 3390d93c064a73de l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 830 l1d.misses 27777 l1d.merges 682 l1d.replies 900 l1d.latency_cycles 300187 "
     "l1d.longest_cycles 466 l1d.busy_cycles 28607 l1d.miss_queue_stall_cycles 1100 crossbar.requests 27095 "
     "crossbar.request_bytes 216760 crossbar.replies 27095 crossbar.reply_bytes 1087960 crossbar.queue_full "
     "22360 l2.accesses 27095 l2.hits 17186 l2.misses 9909 l2.merges 1972 l2.reads 27095 "
     "l2.merge_stall_cycles 106 dram.reads 7937 dram.bytes 254944 dram.row_hits 7809 dram.row_misses 128 "
     "dram.activates 128 dram.bus_cycles 7967 dram.deepest_queue 17"},
    {"volta", 2,
     "cycles 5060 replies e08066641f09a408 l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 3292561 l1d.longest_cycles 1000 l1d.busy_cycles "
     "18000 crossbar.requests 18000 crossbar.request_bytes 144000 crossbar.replies 18000 "
     "crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 l2.dram_stall_cycles "
     "301 dram.reads 18000 dram.bytes 2304000 dram.row_hits 16848 dram.row_misses 1152 dram.activates 1152 "
     "dram.precharges 640 dram.bus_cycles 72000 dram.deepest_queue 64"},
    {"volta", 3,
     "cycles 4220 replies ef739f2b3f598b5c l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 936816 l1d.longest_cycles 435 "
     "l1d.busy_cycles 24000 l1d.miss_queue_stall_cycles 8685 l1d.write_queue_stall_cycles 26085 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 l2.writes 12000 dram.reads "
     "12000 dram.bytes 1536000 dram.row_hits 11232 dram.row_misses 768 dram.activates 768 dram.precharges "
     "256 dram.bus_cycles 48000 dram.deepest_queue 6"},
    {"volta", 4,
     "cycles 1020 replies aab9b57d42dd1611 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5943 l1d.misses 1557 l1d.merges 597 l1d.replies 7500 l1d.latency_cycles 562615 "
     "l1d.longest_cycles 660 l1d.busy_cycles 7500 crossbar.requests 960 crossbar.request_bytes 7680 "
     "crossbar.replies 960 crossbar.reply_bytes 130560 l2.accesses 960 l2.hits 704 l2.misses 256 l2.merges "
     "192 l2.reads 960 l2.merge_stall_cycles 9044 dram.reads 64 dram.bytes 8192 dram.row_hits 32 "
     "dram.row_misses 32 dram.activates 32 dram.bus_cycles 256 dram.deepest_queue 1"},
    {"volta", 5,
     "cycles 72560 replies a28f9e56c8378f1c l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 471 l1d.misses 15707 l1d.merges 43 l1d.stores 8543 l1d.store_hits 641 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 705631 l1d.longest_cycles 516 l1d.busy_cycles "
     "33328 l1d.miss_queue_stall_cycles 456 l1d.write_queue_stall_cycles 379 constant.issued 547 "
     "constant.transactions 14425 constant.accesses 12389 constant.hits 28 constant.misses 12361 "
     "constant.merges 5964 constant.bypasses 2036 constant.replies 547 constant.latency_cycles 919207 "
     "constant.longest_cycles 5600 constant.busy_cycles 14425 constant.mshr_stall_cycles 799803 "
     "constant.miss_queue_stall_cycles 106 texture.issued 281 texture.transactions 2824 texture.accesses "
     "2416 texture.hits 17 texture.misses 2399 texture.bypasses 408 texture.replies 281 "
     "texture.latency_cycles 70776 texture.longest_cycles 433 texture.busy_cycles 2824 "
     "texture.miss_queue_stall_cycles 1389 instruction.issued 290 instruction.transactions 290 "
     "instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 instruction.replies 290 "
     "instruction.latency_cycles 59078 instruction.longest_cycles 424 instruction.busy_cycles 290 "
     "instruction.mshr_stall_cycles 3222 instruction.miss_queue_stall_cycles 163 crossbar.requests 44344 "
     "crossbar.request_bytes 565468 crossbar.replies 40411 crossbar.reply_bytes 1606524 crossbar.queue_full "
     "304 l2.accesses 44344 l2.hits 25994 l2.misses 18350 l2.merges 140 l2.reads 29792 l2.writes 8543 "
     "l2.atomics 6009 dram.reads 18210 dram.bytes 649824 dram.row_hits 4310 dram.row_misses 13900 "
     "dram.activates 13900 dram.precharges 13388 dram.bus_cycles 20307 dram.deepest_queue 19"},
    {"vws", 0,
     "cycles 76760 replies 477e2b9518a94eee l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 12 l1d.misses 19188 l1d.merges 3 l1d.replies 600 l1d.latency_cycles 3366024 "
     "l1d.longest_cycles 5862 l1d.busy_cycles 19200 l1d.mshr_stall_cycles 1074105 crossbar.requests 19185 "
     "crossbar.request_bytes 153480 crossbar.replies 19185 crossbar.reply_bytes 2609160 l2.accesses 19185 "
     "l2.hits 37 l2.misses 19148 l2.merges 3 l2.reads 19185 l2.mshr_stall_cycles 57266 dram.reads 19145 "
     "dram.bytes 2450560 dram.bus_cycles 76580 dram.deepest_queue 49"},
    {"vws", 1,
     "cycles 67020 replies 5da3fb6d2faea0ba l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 5680 l1d.misses 22927 l1d.merges 735 l1d.replies 900 l1d.latency_cycles 3539527 "
     "l1d.longest_cycles 4667 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 933037 crossbar.requests 22192 "
     "crossbar.request_bytes 177536 crossbar.replies 22192 crossbar.reply_bytes 3018112 l2.accesses 22192 "
     "l2.hits 10169 l2.misses 12023 l2.merges 315 l2.reads 22192 l2.mshr_stall_cycles 2032 "
     "l2.reply_stall_cycles 42572 dram.reads 11708 dram.bytes 1498624 dram.bus_cycles 46832 "
     "dram.deepest_queue 48"},
    {"vws", 2,
     "cycles 72180 replies e72dd047c7ca3c2c l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 17894205 l1d.longest_cycles 4186 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 1006545 crossbar.requests 18000 crossbar.request_bytes 144000 "
     "crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 "
     "l2.mshr_stall_cycles 53871 dram.reads 18000 dram.bytes 2304000 dram.bus_cycles 72000 "
     "dram.deepest_queue 49"},
    {"vws", 3,
     "cycles 94000 replies cddb33645be26098 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 15657420 l1d.longest_cycles "
     "5486 l1d.busy_cycles 24000 l1d.miss_queue_stall_cycles 647115 l1d.write_queue_stall_cycles 661965 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 crossbar.queue_full 22979 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 "
     "l2.writes 12000 l2.writebacks 11488 l2.mshr_stall_cycles 435 l2.dram_stall_cycles 68567 dram.reads "
     "12000 dram.writes 11488 dram.bytes 3006464 dram.bus_cycles 93952 dram.deepest_queue 64"},
    {"vws", 4,
     "cycles 8940 replies edbec046c88eaa30 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 5010 l1d.misses 2490 l1d.merges 1530 l1d.replies 7500 l1d.latency_cycles 6103770 "
     "l1d.longest_cycles 6683 l1d.busy_cycles 7500 crossbar.requests 960 crossbar.request_bytes 7680 "
     "crossbar.replies 960 crossbar.reply_bytes 130560 l2.accesses 960 l2.hits 448 l2.misses 512 l2.merges "
     "448 l2.reads 960 l2.merge_stall_cycles 7808 dram.reads 64 dram.bytes 8192 dram.bus_cycles 256 "
     "dram.deepest_queue 1"},
    {"vws", 5,
     "cycles 143520 replies 49f75d563bdb121e l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 1610 l1d.misses 14568 l1d.merges 120 l1d.stores 8543 l1d.store_hits 811 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 11659829 l1d.longest_cycles 7862 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 271169 l1d.miss_queue_stall_cycles 540815 l1d.write_queue_stall_cycles "
     "536796 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 174 "
     "constant.misses 12215 constant.merges 6962 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 2881090 constant.longest_cycles 14725 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 855609 constant.miss_queue_stall_cycles 449135 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 53 texture.misses 2363 texture.merges 1 "
     "texture.bypasses 408 texture.replies 281 texture.latency_cycles 1451561 texture.longest_cycles 12520 "
     "texture.busy_cycles 2824 texture.miss_queue_stall_cycles 389074 instruction.issued 290 "
     "instruction.transactions 290 instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 "
     "instruction.replies 290 instruction.latency_cycles 1203645 instruction.longest_cycles 12833 "
     "instruction.busy_cycles 290 instruction.mshr_stall_cycles 341 instruction.miss_queue_stall_cycles "
     "212162 crossbar.requests 41947 crossbar.request_bytes 546292 crossbar.replies 38014 "
     "crossbar.reply_bytes 3429652 crossbar.queue_full 29798 l2.accesses 41947 l2.hits 16647 l2.misses "
     "25300 l2.merges 1020 l2.reads 27395 l2.writes 8543 l2.atomics 6009 l2.writebacks 11582 "
     "l2.mshr_stall_cycles 58599 l2.merge_stall_cycles 291 l2.dram_stall_cycles 41832 l2.reply_stall_cycles "
     "407 dram.reads 24280 dram.writes 11582 dram.bytes 4590336 dram.bus_cycles 143448 dram.deepest_queue "
     "64"},
    {"wide", 0,
     "cycles 26820 replies 74d5a51ba2b29800 l1d.issued 2800 l1d.transactions 89598 l1d.accesses 89598 "
     "l1d.hits 18 l1d.misses 89580 l1d.merges 3 l1d.replies 2800 l1d.latency_cycles 3723293 "
     "l1d.longest_cycles 1845 l1d.busy_cycles 89598 l1d.mshr_stall_cycles 1731190 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 89577 crossbar.request_bytes 716616 "
     "crossbar.replies 89577 crossbar.reply_bytes 12182472 l2.accesses 89577 l2.hits 5778 l2.misses 83799 "
     "l2.merges 134 l2.reads 89577 l2.dram_stall_cycles 8973 dram.reads 83665 dram.bytes 10709120 "
     "dram.row_hits 4179 dram.row_misses 79486 dram.activates 79486 dram.precharges 78686 dram.bus_cycles "
     "334660 dram.deepest_queue 16"},
    {"wide", 1,
     "cycles 35460 replies 9a0d0a064c8ef0c8 l1d.issued 4200 l1d.transactions 133421 l1d.accesses 133421 "
     "l1d.hits 7848 l1d.misses 125573 l1d.merges 1153 l1d.replies 4200 l1d.latency_cycles 5050319 "
     "l1d.longest_cycles 1797 l1d.busy_cycles 133421 l1d.mshr_stall_cycles 2266924 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 124420 crossbar.request_bytes 995360 "
     "crossbar.replies 124420 crossbar.reply_bytes 16921120 l2.accesses 124420 l2.hits 121191 l2.misses "
     "3229 l2.merges 1181 l2.reads 124420 l2.merge_stall_cycles 995 l2.dram_stall_cycles 375 dram.reads "
     "2048 dram.bytes 262144 dram.row_hits 1948 dram.row_misses 100 dram.activates 100 dram.bus_cycles 8192 "
     "dram.deepest_queue 16"},
    {"wide", 2,
     "cycles 23220 replies 5505e632bb97d078 l1d.issued 21000 l1d.transactions 84000 l1d.accesses 84000 "
     "l1d.misses 84000 l1d.replies 21000 l1d.latency_cycles 14352126 l1d.longest_cycles 1257 "
     "l1d.busy_cycles 84000 l1d.mshr_stall_cycles 1489928 l1d.miss_queue_stall_cycles 1190 "
     "crossbar.requests 84000 crossbar.request_bytes 672000 crossbar.replies 84000 crossbar.reply_bytes "
     "11424000 l2.accesses 84000 l2.misses 84000 l2.reads 84000 l2.dram_stall_cycles 5046 dram.reads 84000 "
     "dram.bytes 10752000 dram.row_hits 81300 dram.row_misses 2700 dram.activates 2700 dram.precharges 1900 "
     "dram.bus_cycles 336000 dram.deepest_queue 16"},
    {"wide", 3,
     "cycles 25200 replies 764c7de0442d1204 l1d.issued 28000 l1d.transactions 112000 l1d.accesses 56000 "
     "l1d.misses 56000 l1d.stores 56000 l1d.replies 14000 l1d.latency_cycles 14742266 l1d.longest_cycles "
     "1529 l1d.busy_cycles 112000 l1d.mshr_stall_cycles 1488514 l1d.miss_queue_stall_cycles 4200 "
     "l1d.write_queue_stall_cycles 10990 crossbar.requests 112000 crossbar.request_bytes 8064000 "
     "crossbar.replies 56000 crossbar.reply_bytes 7616000 l2.accesses 112000 l2.hits 56000 l2.misses 56000 "
     "l2.reads 56000 l2.writes 56000 l2.writebacks 30428 l2.dram_stall_cycles 967 dram.reads 56000 "
     "dram.writes 30428 dram.bytes 11062784 dram.row_hits 83618 dram.row_misses 2810 dram.activates 2810 "
     "dram.precharges 2010 dram.bus_cycles 345712 dram.deepest_queue 16"},
    {"wide", 4,
     "cycles 4140 replies c7a78b10ec2533e5 l1d.issued 35000 l1d.transactions 35000 l1d.accesses 35000 "
     "l1d.hits 26909 l1d.misses 8091 l1d.merges 3611 l1d.replies 35000 l1d.latency_cycles 8771928 "
     "l1d.longest_cycles 2789 l1d.busy_cycles 35000 l1d.mshr_stall_cycles 157312 "
     "l1d.miss_queue_stall_cycles 1190 crossbar.requests 4480 crossbar.request_bytes 35840 crossbar.replies "
     "4480 crossbar.reply_bytes 609280 l2.accesses 4480 l2.hits 4224 l2.misses 256 l2.merges 192 l2.reads "
     "4480 l2.merge_stall_cycles 5721 l2.reply_stall_cycles 10428 dram.reads 64 dram.bytes 8192 "
     "dram.row_hits 32 dram.row_misses 32 dram.activates 32 dram.bus_cycles 256 dram.deepest_queue 1"},
    {"wide", 5,
     "cycles 224820 replies 9d567ad20470258a l1d.issued 15707 l1d.transactions 153412 l1d.accesses 78558 "
     "l1d.hits 3770 l1d.misses 74788 l1d.merges 370 l1d.stores 38776 l1d.store_hits 1732 l1d.bypasses 10610 "
     "l1d.atomics 25468 l1d.replies 13746 l1d.latency_cycles 12272539 l1d.longest_cycles 2393 "
     "l1d.busy_cycles 153412 l1d.mshr_stall_cycles 1619627 l1d.miss_queue_stall_cycles 46174 "
     "l1d.write_queue_stall_cycles 60874 constant.issued 2629 constant.transactions 69379 constant.accesses "
     "60026 constant.hits 1436 constant.misses 58590 constant.merges 33457 constant.bypasses 9353 "
     "constant.replies 2629 constant.latency_cycles 12794845 constant.longest_cycles 22949 "
     "constant.busy_cycles 69379 constant.mshr_stall_cycles 10992207 constant.miss_queue_stall_cycles 8024 "
     "texture.issued 1362 texture.transactions 13472 texture.accesses 11722 texture.hits 300 texture.misses "
     "11422 texture.merges 2 texture.bypasses 1750 texture.replies 1362 texture.latency_cycles 1194176 "
     "texture.longest_cycles 1880 texture.busy_cycles 13472 texture.miss_queue_stall_cycles 42176 "
     "instruction.issued 1302 instruction.transactions 1302 instruction.accesses 1153 instruction.hits 3 "
     "instruction.misses 1150 instruction.bypasses 149 instruction.replies 1302 instruction.latency_cycles "
     "935945 instruction.longest_cycles 1546 instruction.busy_cycles 1302 instruction.mshr_stall_cycles "
     "26469 instruction.miss_queue_stall_cycles 5685 crossbar.requests 198227 crossbar.request_bytes "
     "2547388 crossbar.replies 178537 crossbar.reply_bytes 16760156 crossbar.queue_full 8040 l2.accesses "
     "198227 l2.hits 148893 l2.misses 49334 l2.merges 400 l2.reads 133983 l2.writes 38776 l2.atomics 25468 "
     "l2.writebacks 4834 l2.merge_stall_cycles 843 l2.dram_stall_cycles 63 l2.reply_stall_cycles 634 "
     "l2.atomic_stall_cycles 31 dram.reads 48934 dram.writes 4834 dram.bytes 6882304 dram.row_hits 8045 "
     "dram.row_misses 45723 dram.activates 45723 dram.precharges 44923 dram.bus_cycles 215072 "
     "dram.deepest_queue 16"},
    {"narrow", 0,
     "cycles 151606 replies c91eff81f13ece16 l1d.issued 600 l1d.transactions 19200 l1d.accesses 19200 "
     "l1d.hits 4 l1d.misses 19196 l1d.replies 600 l1d.latency_cycles 2445784 l1d.longest_cycles 4760 "
     "l1d.busy_cycles 19200 l1d.mshr_stall_cycles 2210124 crossbar.requests 19196 crossbar.request_bytes "
     "153568 crossbar.replies 19196 crossbar.reply_bytes 2610656 l2.accesses 19196 l2.hits 180 l2.misses "
     "19016 l2.merges 1 l2.reads 19196 l2.mshr_stall_cycles 227824 l2.dram_stall_cycles 2194 dram.reads "
     "19015 dram.bytes 2433920 dram.row_hits 108 dram.row_misses 18907 dram.activates 18907 dram.precharges "
     "18811 dram.bus_cycles 76060 dram.deepest_queue 3"},
    {"narrow", 1,
     "cycles 292712 replies c5d1c3c77c321a12 l1d.issued 900 l1d.transactions 28607 l1d.accesses 28607 "
     "l1d.hits 1564 l1d.misses 27043 l1d.merges 6 l1d.replies 900 l1d.latency_cycles 4728310 "
     "l1d.longest_cycles 9018 l1d.busy_cycles 28607 l1d.mshr_stall_cycles 4232852 crossbar.requests 27037 "
     "crossbar.request_bytes 216296 crossbar.replies 27037 crossbar.reply_bytes 3677032 l2.accesses 27037 "
     "l2.hits 24962 l2.misses 2075 l2.merges 27 l2.reads 27037 l2.mshr_stall_cycles 7326 "
     "l2.dram_stall_cycles 175 l2.reply_stall_cycles 901609 dram.reads 2048 dram.bytes 262144 dram.row_hits "
     "1976 dram.row_misses 72 dram.activates 72 dram.bus_cycles 8192 dram.deepest_queue 3"},
    {"narrow", 2,
     "cycles 107492 replies 1aead5cbfc4880e4 l1d.issued 4500 l1d.transactions 18000 l1d.accesses 18000 "
     "l1d.misses 18000 l1d.replies 4500 l1d.latency_cycles 2804919 l1d.longest_cycles 781 l1d.busy_cycles "
     "18000 l1d.mshr_stall_cycles 1588706 crossbar.requests 18000 crossbar.request_bytes 144000 "
     "crossbar.replies 18000 crossbar.reply_bytes 2448000 l2.accesses 18000 l2.misses 18000 l2.reads 18000 "
     "l2.mshr_stall_cycles 3043 l2.dram_stall_cycles 133 dram.reads 18000 dram.bytes 2304000 dram.row_hits "
     "17436 dram.row_misses 564 dram.activates 564 dram.precharges 468 dram.bus_cycles 72000 "
     "dram.deepest_queue 3"},
    {"narrow", 3,
     "cycles 72184 replies 0219be627f7fe492 l1d.issued 6000 l1d.transactions 24000 l1d.accesses 12000 "
     "l1d.misses 12000 l1d.stores 12000 l1d.replies 3000 l1d.latency_cycles 1838297 l1d.longest_cycles 873 "
     "l1d.busy_cycles 24000 l1d.mshr_stall_cycles 1025158 l1d.write_queue_stall_cycles 26813 "
     "crossbar.requests 24000 crossbar.request_bytes 1728000 crossbar.replies 12000 crossbar.reply_bytes "
     "1632000 crossbar.queue_full 146 l2.accesses 24000 l2.hits 12000 l2.misses 12000 l2.reads 12000 "
     "l2.writes 12000 l2.writebacks 8928 l2.mshr_stall_cycles 3274 l2.dram_stall_cycles 508 dram.reads "
     "12000 dram.writes 8928 dram.bytes 2678784 dram.row_hits 20256 dram.row_misses 672 dram.activates 672 "
     "dram.precharges 576 dram.bus_cycles 83712 dram.deepest_queue 3"},
    {"narrow", 4,
     "cycles 16044 replies 600a9b9e3964c783 l1d.issued 7500 l1d.transactions 7500 l1d.accesses 7500 "
     "l1d.hits 6497 l1d.misses 1003 l1d.merges 43 l1d.replies 7500 l1d.latency_cycles 1159258 "
     "l1d.longest_cycles 2475 l1d.busy_cycles 7500 l1d.mshr_stall_cycles 205081 l1d.merge_stall_cycles 8104 "
     "crossbar.requests 960 crossbar.request_bytes 7680 crossbar.replies 960 crossbar.reply_bytes 130560 "
     "l2.accesses 960 l2.hits 832 l2.misses 128 l2.merges 64 l2.reads 960 l2.merge_stall_cycles 2203 "
     "l2.reply_stall_cycles 25344 dram.reads 64 dram.bytes 8192 dram.row_hits 52 dram.row_misses 12 "
     "dram.activates 12 dram.bus_cycles 256 dram.deepest_queue 2"},
    {"narrow", 5,
     "cycles 327880 replies bfa237d17a64ae31 l1d.issued 3382 l1d.transactions 33328 l1d.accesses 16178 "
     "l1d.hits 728 l1d.misses 15450 l1d.merges 2 l1d.stores 8543 l1d.store_hits 354 l1d.bypasses 2598 "
     "l1d.atomics 6009 l1d.replies 2963 l1d.latency_cycles 5337541 l1d.longest_cycles 9363 l1d.busy_cycles "
     "33328 l1d.mshr_stall_cycles 3480586 l1d.miss_queue_stall_cycles 61955 l1d.write_queue_stall_cycles "
     "303206 constant.issued 547 constant.transactions 14425 constant.accesses 12389 constant.hits 181 "
     "constant.misses 12208 constant.merges 6947 constant.bypasses 2036 constant.replies 547 "
     "constant.latency_cycles 2029040 constant.longest_cycles 21870 constant.busy_cycles 14425 "
     "constant.mshr_stall_cycles 1706115 constant.miss_queue_stall_cycles 35368 texture.issued 281 "
     "texture.transactions 2824 texture.accesses 2416 texture.hits 48 texture.misses 2368 texture.bypasses "
     "408 texture.replies 281 texture.latency_cycles 345330 texture.longest_cycles 5307 texture.busy_cycles "
     "2824 texture.miss_queue_stall_cycles 132350 instruction.issued 290 instruction.transactions 290 "
     "instruction.accesses 251 instruction.misses 251 instruction.bypasses 39 instruction.replies 290 "
     "instruction.latency_cycles 176218 instruction.longest_cycles 2540 instruction.busy_cycles 290 "
     "instruction.mshr_stall_cycles 932 instruction.miss_queue_stall_cycles 17135 crossbar.requests 42961 "
     "crossbar.request_bytes 554404 crossbar.replies 39028 crossbar.reply_bytes 3567044 crossbar.queue_full "
     "10667 l2.accesses 42961 l2.hits 26404 l2.misses 16557 l2.merges 127 l2.reads 28409 l2.writes 8543 "
     "l2.atomics 6009 l2.writebacks 5949 l2.mshr_stall_cycles 69777 l2.dram_stall_cycles 7644 "
     "l2.reply_stall_cycles 694615 dram.reads 16430 dram.writes 5949 dram.bytes 2864512 dram.row_hits 1736 "
     "dram.row_misses 20643 dram.activates 20643 dram.precharges 20547 dram.bus_cycles 89516 "
     "dram.deepest_queue 3"},
